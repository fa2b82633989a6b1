"""Gathers the bounded candidates of a query from each index, with what ranking has to know of them.

Three kinds: rows whose words match, tool output that matches, and rows that hold a name or an exact phrase. Their
order is made in `relevance`, from numbers that `rank` computes.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

import msgspec

from backstory.records.base import Record
from backstory.retrieve import rank, terms
from backstory.retrieve.conversation import best_passages
from backstory.retrieve.expand import MOST_TOKENS, Meant, expand
from backstory.store import search
from backstory.store.history import History
from backstory.store.search import WordMatch
from backstory.store.where import Clause
from backstory.text.fold import spaced
from backstory.text.match import in_columns, phrase
from backstory.text.parts import camel_parts
from backstory.text.query import Query

WORD_ROWS = 200
WORD_ROWS_OF_FEW = 100
RESULT_ROWS = 40
RECENT_ROWS = 20_000
RESULT_POSTINGS = 300
RESULTS_COUNTED = 300
HELD = 120
MENTIONED = 300
MOST_NAMES = 6
MOST_NAMES_ASIDE = 3

RECENT = "only very common words: the newest entries were searched"
NO_PHRASE = "no entry holds the exact phrase; entries with its words are shown"


class Place(Record, frozen=True):
    """Where a query looks: its conditions, the highest row id, and the id above which words are looked for."""

    where: Clause
    newest: int
    oldest: int


class Candidates(msgspec.Struct):
    """What a query found: `words` as id -> (session, seq, score), `results` as id -> (session, score), and the rest.

    `held`: the rows that hold names, as id -> (session, share); those beside, which conditions may not admit, are only
    `mentioned`, as id -> share. `only`: the rows that hold all exact phrases.
    `decisive`: holding the names literally decides. `truncated`: more rows matched than are here. `tokens` are the
    plain ones of the query, by which tool results are looked up, and `place` is where. `meant`: words that stand in for
    others. `apart`: the words are few and rare, and no entry holds all; `leading` are tool results that do, as id ->
    session.
    """

    place: Place
    tokens: Sequence[str]
    words: Mapping[int, tuple[int, int, rank.RowScore]] = {}
    results: Mapping[int, tuple[int, float]] = {}
    passages: Mapping[int, float] = {}
    held: dict[int, tuple[int, float]] = {}
    mentioned: Mapping[int, float] = {}
    only: frozenset[int] | None = None
    decisive: bool = False
    meant: tuple[str, ...] = ()
    apart: bool = False
    leading: Mapping[int, int] = {}
    warnings: list[str] = []
    truncated: bool = False


def gather(history: History, query: Query, where: Clause, *, sessions: bool = True) -> Candidates:
    """The candidates of a query that has words or phrases, but for tool results (`complete`).

    Rows are scored for their sessions only if `sessions` are wanted.
    """
    plain = query.telling
    newest = search.newest_id(history)
    # Words that carry no topic say nothing about which old entry is meant.
    place = Place(where, newest, 0 if plain else max(newest - RECENT_ROWS, 0))
    text = spaced(" ".join([*(plain or query.words), *query.phrases]))
    tokens = search.tokens(history, text, stemmed=False)
    out = Candidates(place, terms.counted(tokens), warnings=[RECENT] if query.words and not plain else [])
    words = _spelled(history, f"{text} {camel_parts(text)}")
    alike: list[tuple[str, ...]] = []
    if query.expand and len(out.tokens) <= MOST_TOKENS:
        found = expand(history, _holders(history, dict(zip(tokens, words, strict=False))), text)
        out.warnings += [f"no entry holds {meant.word!r}: searched for {', '.join(meant.words)}" for meant in found]
        alike = [meant.words for meant in found]
        words = _standing_in(history, text, found) if found else words
    out.meant = tuple(chain.from_iterable(alike))
    out.tokens = list(dict.fromkeys([*out.tokens, *out.meant]))
    alone = len(plain) == 1 and not query.phrases
    _find_words(history, words, out, alike=alike, alone=alone, sessions=sessions)
    out.passages = best_passages(history, words)
    out.decisive = bool(query.names) and len(query.names) >= len(plain)
    _find_held(history, query, out)
    return out


def _holders(history: History, spelled: Mapping[str, str]) -> dict[str, int]:
    """Whether entries hold each token, as words in some form or else as it stands."""
    docs = search.frequencies(history, "word", terms.counted([*spelled.values()]), terms.COUNTED)
    said = {token: docs[word] for token, word in spelled.items() if docs[word]}
    unsaid = [token for token in spelled if token not in said]
    return dict.fromkeys(spelled, 0) | said | search.frequencies(history, "literal", unsaid, RESULTS_COUNTED)


def _spelled(history: History, text: str) -> list[str]:
    """The words of a text in order, each in the spelling in which its stem first occurs.

    MATCH wants the word: the tokenizer stems it again, and a stem has another stem.
    """
    stems = search.tokens(history, text, stemmed=True)
    first: dict[str, str] = {}
    for stem, token in zip(stems, search.tokens(history, text, stemmed=False), strict=True):
        first.setdefault(stem, token)
    return [first[stem] for stem in stems]


def _standing_in(history: History, text: str, found: Sequence[Meant]) -> list[str]:
    """The words of a text, then those that stand in for some of them."""
    # The parts of a name that is cut off at both ends are no words.
    cut = {meant.word for meant in found}
    parts = camel_parts(" ".join(word for word in text.split() if word.lower() not in cut))
    return _spelled(history, " ".join([text, parts, *chain.from_iterable(meant.words for meant in found)]))


def _find_words(
    history: History,
    words: Sequence[str],
    out: Candidates,
    *,
    alike: Sequence[tuple[str, ...]],
    alone: bool,
    sessions: bool,
) -> None:
    docs = search.frequencies(history, "word", terms.counted(words), terms.COUNTED)
    place = out.place
    choice = terms.choose(docs, place.newest)
    if choice is None:
        return
    floor = max(choice.floor, place.oldest)
    if choice.floor and RECENT not in out.warnings:
        out.warnings.append(RECENT)
    match = terms.word_match(choice, words, alike)
    order = terms.in_query_order(choice, words)
    groups = [tuple(at for at, text in enumerate(order) if text in group) for group in alike]
    given = rank.weights(
        search.row_count(history), [docs[text] for text in order], match.pairs,
        alike=[group for group in groups if len(group) > 1], alone=alone,
    )  # fmt: skip
    limit, ranked = choice.reach(WORD_ROWS if len(order) > terms.FEW_TERMS else WORD_ROWS_OF_FEW)
    rows = search.match_words(history, match, floor=floor, limit=limit, ranked=ranked, where=place.where)
    out.truncated = len(rows) >= limit or floor > 0
    out.words = {
        row.id: (row.session, row.seq, rank.row_score(row.evidence, given, typed=row.typed == 1, sessions=sessions))
        for row in rows
    }
    few = 1 < len(out.tokens) <= MOST_TOKENS and sum(docs.values()) <= RESULT_POSTINGS
    out.apart = few and not alike and all(0 in row.evidence[: len(order)] for row in rows)


def complete(history: History, out: Candidates) -> None:
    """Adds what `gather` left out: what tools answered, and rows that hold names and no other word of a query."""
    for id_, session in search.admitted(history, [*out.mentioned], out.place.where):
        out.held[id_] = (session, out.mentioned[id_])
    _find_results(history, out)


def _find_results(history: History, out: Candidates) -> None:
    place = out.place
    docs = search.frequencies(history, "literal", out.tokens, RESULTS_COUNTED)
    choice = terms.choose(docs, place.newest, RESULT_POSTINGS)
    if choice is None:
        return
    columns = in_columns(("result", "parts"), terms.plain_match(choice))
    match = WordMatch(columns, tuple(range(len(choice.rare))), ())
    counts = [term.docs for term in choice.rare]
    given = rank.weights(max(search.row_count(history), *counts), counts, ())
    limit, ranked = choice.reach(RESULT_ROWS)
    rows = search.match_results(history, match, floor=choice.floor, limit=limit, ranked=ranked, where=place.where)
    out.truncated = out.truncated or len(rows) >= limit
    out.results = {row.id: (row.session, rank.row_score(row.evidence, given, sessions=False).entry) for row in rows}
    if out.apart and len(counts) == len(out.tokens):
        best = max((score.entry for _, _, score in out.words.values()), default=0.0)
        whole = [row for row in rows if 0 not in row.evidence[: len(counts)]]
        out.leading = {row.id: row.session for row in whole if out.results[row.id][1] > best}


def _find_held(history: History, query: Query, out: Candidates) -> None:
    """Rows that hold names (with the share they hold), and the rows that hold all exact phrases, if any were asked."""
    names = query.names[: MOST_NAMES if out.decisive else MOST_NAMES_ASIDE]
    sessions = {id_: session for id_, (session, _, _) in out.words.items()}
    shares: dict[int, float] = {}
    for name in names:
        if out.decisive:
            rows = _literally(history, name, out)
            sessions.update(rows)
            ids = [id_ for id_, _ in rows]
        else:
            ids = _mentioned(history, name, out)
        for id_ in ids:
            shares[id_] = shares.get(id_, 0.0) + 1 / len(names)
    held = {id_: (sessions[id_], share) for id_, share in shares.items() if id_ in sessions}
    out.mentioned = {id_: share for id_, share in shares.items() if id_ not in held}
    for wanted in query.phrases:
        rows = _literally(history, wanted, out)
        held |= {id_: (session, held.get(id_, (0, 0.0))[1]) for id_, session in rows}
        found = frozenset(id_ for id_, _ in rows)
        out.only = found if out.only is None else out.only & found
    if out.only is not None and not out.only:
        out.warnings.append(NO_PHRASE)
        out.only = None
    out.held = held


def _literally(history: History, text: str, out: Candidates) -> list[tuple[int, int]]:
    """(id, session) of rows that hold a text as it stands."""
    match = _phrase(history, text)
    if not match:
        return []
    found = search.holding(history, match, text, below=out.place.newest + 1, limit=HELD, where=out.place.where)
    out.truncated = out.truncated or len(found) >= HELD
    return found


def _mentioned(history: History, name: str, out: Candidates) -> list[int]:
    """Rows that hold the words of a name in a row: beside other words that says as much, unread."""
    match = _phrase(history, name)
    if not match:
        return []
    return search.with_phrase(history, match, below=out.place.newest + 1, most=MENTIONED)


def _phrase(history: History, text: str) -> str:
    tokens = search.tokens(history, spaced(text), stemmed=False)
    return in_columns(("said", "result"), phrase(tokens)) if tokens else ""
