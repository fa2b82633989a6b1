"""Literal search over random corpora: what it finds, in which order, page by page, stored and live."""

import re
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from backstory.engine.query import filters
from backstory.records.filters import EntryFilter
from backstory.records.live import LiveHeader
from backstory.records.query import CursorScope
from backstory.records.session import Draft
from tests.fakes.corpus import START, Corpus, user

TOKENS = ["a", "b", "ab"]
TEXT = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=8).map(" ".join)
SESSIONS = st.lists(st.lists(TEXT, min_size=1, max_size=4), min_size=1, max_size=4)
SHORT = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=3).map(" ".join)
UNEVEN = st.lists(st.one_of(st.lists(SHORT, min_size=1, max_size=3), st.lists(SHORT, min_size=20, max_size=60)),
                  min_size=1, max_size=6)  # fmt: skip
PHRASE = st.lists(st.sampled_from(TOKENS), min_size=1, max_size=3).map(" ".join)


def _spans(text: str, phrase: str) -> int:
    """Occurrences of a phrase; those that share a token count once."""
    words, wanted = text.split(), phrase.split()
    starts = [at for at in range(len(words)) if words[at : at + len(wanted)] == wanted]
    count, end = 0, -1
    for at in starts:
        count += at > end
        end = at + len(wanted) - 1
    return count


def _expected(sessions: list[list[str]], phrase: str) -> list[tuple[str, int]]:
    rows = [
        (-_spans(text, phrase), len(text), -(START + seq * 1000), f"s{number}", -seq)
        for number, texts in enumerate(sessions)
        for seq, text in enumerate(texts)
    ]
    return [(row[3], -row[4]) for row in sorted(rows) if row[0]]


@settings(max_examples=25, deadline=None)
@given(sessions=SESSIONS, phrase=PHRASE, limit=st.integers(1, 5), live=st.integers(0, 4), durable=st.booleans())
def test_pages_are_complete_and_in_order(
    sessions: list[list[str]], phrase: str, limit: int, live: int, *, durable: bool
) -> None:
    scope = CursorScope.DURABLE if durable else CursorScope.INSTANCE
    with tempfile.TemporaryDirectory() as folder:
        corpus = Corpus(Path(folder))
        for number, texts in enumerate(sessions):
            if number < live:
                corpus.attach_text(f"s{number}", *texts)
            else:
                corpus.put(f"s{number}", *map(user, texts), root=corpus.root)
        corpus.query.reconcile()
        wanted = _expected(sessions, phrase)
        found: list[tuple[str, int]] = []
        cursor = None
        while True:
            page = corpus.events(phrase, limit=limit, cursor=cursor, cursor_scope=scope)
            found += [(hit.session, hit.seq) for hit in page.items]
            assert len(page.items) == limit or page.next_cursor is None
            if (cursor := page.next_cursor) is None:
                break
        assert found == wanted
        best: dict[str, int] = {}
        for session, seq in wanted:
            best.setdefault(session, seq)
        kin: list[tuple[str, int]] = []
        while True:
            sessions_page = corpus.sessions(phrase, limit=limit, cursor=cursor, cursor_scope=scope)
            kin += [(hit.session.id, hit.best.seq) for hit in sessions_page.items]
            if (cursor := sessions_page.next_cursor) is None:
                break
        assert kin == list(best.items())
        for number, texts in enumerate(sessions):
            inside = [seq for session, seq in wanted if session == f"s{number}"]
            assert corpus.seqs(phrase, f"s{number}", limit=100) == inside, texts
        corpus.query.close()


def _all_events(corpus: Corpus, phrase: str, **more: Any) -> list[tuple[str, int]]:
    """(session, seq) of all pages, each of which is full but for the last."""
    found: list[tuple[str, int]] = []
    cursor = None
    while True:
        page = corpus.events(phrase, cursor=cursor, **more)
        found += [(hit.session, hit.seq) for hit in page.items]
        if (cursor := page.next_cursor) is None:
            return found
        assert len(page.items) == more["limit"]


def _all_sessions(corpus: Corpus, phrase: str, **more: Any) -> list[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    cursor = None
    while True:
        page = corpus.sessions(phrase, cursor=cursor, **more)
        found += [(hit.session.id, hit.best.seq) for hit in page.items]
        if (cursor := page.next_cursor) is None:
            return found
        assert len(page.items) == more["limit"]


@settings(max_examples=25, deadline=None)
@given(sessions=UNEVEN, phrase=st.sampled_from(["a", "b", "a b"]), limit=st.integers(1, 4), low=st.integers(0, 30),
       live=st.integers(0, 2), long=st.booleans(),
       ways=st.sampled_from([(32, 2, 250), (1, 0, 250), (2, 1, 250), (1, 50, 250), (1, 50, 8), (32, 2, 0)]),
)  # fmt: skip
def test_pages_are_complete_among_many_ties(
    sessions: list[list[str]], phrase: str, limit: int, low: int, live: int, ways: tuple[int, int, int], *, long: bool
) -> None:
    prefix = "x" * 200 if long else ""
    batch, steps, some = ways
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.multiple("backstory.store.literal", BATCH=batch, STEPS=steps, SOME=some, MANY=4 * some),
    ):
        corpus = Corpus(Path(folder))
        for number, texts in enumerate(sessions):
            if number < live:
                corpus.attach_text(f"{prefix}s{number}", *texts)
            else:
                corpus.put(f"{prefix}s{number}", *map(user, texts), root=corpus.root)
        corpus.query.reconcile()
        every = [(prefix + session, seq) for session, seq in _expected(sessions, phrase)]
        for least, wanted in ((0, every), (low, [(session, seq) for session, seq in every if seq >= low])):
            only = (EntryFilter(seq=(least, None)),) if least else ()
            assert _all_events(corpus, phrase, limit=limit, filters=only) == wanted
            best: dict[str, int] = {}
            for session, seq in wanted:
                best.setdefault(session, seq)
            assert _all_sessions(corpus, phrase, limit=limit, event_filters=only) == list(best.items())
        corpus.query.close()


def test_events_that_only_their_source_tells_apart_are_given_once_each(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.put("s0", user("a b"), user("a b"))
    drafts = [
        Draft(kind="prompt", role="user", text="a b", time=START + at * 1000, visible=True, seq=at) for at in range(2)
    ]
    for source in ("pi", "codex"):
        corpus.live.attach(LiveHeader(source, "s0", created=START), drafts)
    assert _all_events(corpus, "a", limit=1) == [("s0", seq) for seq in (1, 1, 1, 0, 0, 0)]
    assert _all_sessions(corpus, "a", limit=1) == [("s0", 1)] * 3
    assert {hit.session.source for hit in corpus.sessions("a").items} == {"codex", "dsh", "pi"}
    corpus.query.close()


@settings(max_examples=50, deadline=None)
@given(texts=st.lists(st.text(alphabet="aB \n.ä*\\(", min_size=1, max_size=12), min_size=1, max_size=5), data=st.data())
def test_a_text_clause_is_a_literal_scan(texts: list[str], data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(texts))
    low = data.draw(st.integers(0, len(text) - 1))
    piece = text[low : data.draw(st.integers(low + 1, len(text)))]
    if not piece.strip():
        return
    (pattern,) = filters.patterns([EntryFilter(text=piece.swapcase())])
    assert pattern.search(re.sub(r"\s+", " \n ", text))
