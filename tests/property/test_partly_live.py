"""A corpus gives the same answers by relevance whether it is stored, live, or partly live, also above the bounds."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from backstory.records.query import Mode
from backstory.retrieve import candidates, conversation
from tests.fakes.corpus import Corpus, user

ROWS, PIECES = 6, 3
WORDS = st.sampled_from(["emu", "ibis", "kiwi", "rhea", "flies", "over", "walls"])
SILENT = st.sampled_from(["no more than that", "yes"])
TEXT = SILENT | st.lists(WORDS, min_size=1, max_size=12).map(" ".join)
# No more are stored than are looked at, nor live than twice as many; together they are more.
STORED, LIVE = 3, 6
SESSIONS = st.lists(st.lists(TEXT, min_size=2, max_size=2), min_size=STORED + LIVE, max_size=STORED + LIVE)
FEW = st.lists(WORDS, min_size=1, max_size=4, unique=True).map(" ".join)
# A question looks at what was said beside the best rows, and at dates; all of this corpus is of October 2025.
MANY = FEW.map(lambda words: f"what did we say of the {words} on October 9, 2025?")
QUERY = st.one_of(FEW, MANY)


@contextmanager
def narrow() -> Iterator[None]:
    with (
        patch.object(candidates, "WORD_ROWS", ROWS),
        patch.object(candidates, "WORD_ROWS_OF_FEW", ROWS),
        patch.object(conversation, "PASSAGES", PIECES),
        patch.object(conversation, "PASSAGES_OF_FEW", PIECES),
    ):
        yield


def answers(sessions: list[list[str]], live: int, queries: list[str]) -> list[object]:
    """What is found of all queries where so many of the last sessions are live."""
    with tempfile.TemporaryDirectory() as folder:
        corpus = Corpus(Path(folder))
        stored = len(sessions) - live
        for number, texts in enumerate(sessions[:stored]):
            corpus.put(f"s{number:02}", *map(user, texts), root=corpus.root)
        corpus.query.reconcile()
        for number, texts in enumerate(sessions[stored:], stored):
            corpus.attach_text(f"s{number:02}", *texts)
        found: list[object] = []
        for query in queries:
            events = corpus.events(query, mode=Mode.RELEVANCE)
            found.append(([(hit.session, hit.seq) for hit in events.items], events.truncated))
            kin = corpus.sessions(query, Mode.RELEVANCE).items
            found.append([(hit.session.id, hit.best and hit.best.seq) for hit in kin])
        corpus.query.close()
        return found


@settings(max_examples=25, deadline=None)
@given(sessions=SESSIONS, queries=st.lists(QUERY, min_size=3, max_size=3))
def test_some_of_it_live_finds_what_all_of_it_stored_does(sessions: list[list[str]], queries: list[str]) -> None:
    with narrow():
        assert answers(sessions, LIVE, queries) == answers(sessions, 0, queries)


@settings(max_examples=10, deadline=None)
@given(sessions=SESSIONS, queries=st.lists(QUERY, min_size=3, max_size=3))
def test_all_of_it_live_finds_what_all_of_it_stored_does(sessions: list[list[str]], queries: list[str]) -> None:
    with narrow():
        assert answers(sessions[:LIVE], LIVE, queries) == answers(sessions[:LIVE], 0, queries)
