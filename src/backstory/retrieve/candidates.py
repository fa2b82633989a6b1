"""Gathers the bounded candidates of a query from each index, with what ranking has to know of them.

Three kinds: rows whose words match, tool output that matches, and rows that hold a name or an exact phrase. Their
order is made in `relevance`, from numbers that `rank` computes.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

import msgspec

from backstory.records.base import Record
from backstory.retrieve import merging, rank, terms
from backstory.retrieve.conversation import best_passages
from backstory.retrieve.expand import MOST_TOKENS, Meant, expand
from backstory.retrieve.rank import Rows
from backstory.store import search, statistics, vocabulary
from backstory.store.history import History
from backstory.store.search import WordMatch
from backstory.store.where import Clause
from backstory.text import dates
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


class SearchBounds(Record, frozen=True):
    """Where a query looks: its conditions, the ids rows lie in, and the id above which words are looked for.

    A `short` query looks at fewer rows. `times` are those it names.
    """

    where: Clause
    ids: range
    oldest: int
    short: bool
    times: tuple[dates.Date, ...] = ()


class Matched(Record, frozen=True):
    """Rows whose words match, by id.

    `truncated`: more rows matched. `recent`: only the newest were looked at. `apart`: the words are few and rare, and
    no entry holds all.
    """

    rows: Rows
    truncated: bool = False
    recent: bool = False
    apart: bool = False


class NameRows(Record, frozen=True):
    """Rows that hold names, as id -> (session, share), and of those whose session is not known id -> share.

    `only`: the rows that hold all exact phrases, None where that says nothing. `truncated`: more rows hold some.
    `missed`: no row holds all phrases.
    """

    rows: Mapping[int, tuple[int, float]]
    mentioned: Mapping[int, float]
    only: frozenset[int] | None
    truncated: bool
    missed: bool


class Candidates(Record, frozen=True):
    """What a query found: `words` by id, `results` as id -> (session, score), and the rest.

    `held`: the rows that hold names, as id -> (session, share); those beside, which conditions may not admit, are only
    `mentioned`, as id -> share. `only`: the rows that hold all exact phrases.
    `decisive`: holding the names literally decides. `truncated`: more rows matched than are here. `tokens` are the
    plain ones of the query, by which tool results are looked up, within `bounds`. `meant`: words that stand in for
    others. `apart`: the words are few and rare, and no entry holds all; `leading` are tool results that do, as id ->
    session.
    """

    bounds: SearchBounds
    tokens: Sequence[str]
    words: Rows
    passages: Mapping[int, float]
    held: Mapping[int, tuple[int, float]]
    mentioned: Mapping[int, float]
    only: frozenset[int] | None
    decisive: bool
    meant: tuple[str, ...]
    apart: bool
    warnings: tuple[str, ...]
    truncated: bool
    results: Mapping[int, tuple[int, float]] = {}
    leading: Mapping[int, int] = {}


def gather(history: History, query: Query, where: Clause, *, sessions: bool = True) -> Candidates:
    """The candidates of a query that has words or phrases, but for tool results (`completed`).

    Rows are scored for their sessions only if `sessions` are wanted.
    """
    times, plain = _taken(query)
    text = spaced(" ".join([*(plain or query.words), *query.phrases]))
    said = vocabulary.tokens(history, text, stemmed=False)
    tokens = terms.counted(said)
    words = _spelled(history, f"{text} {camel_parts(text)}")
    bounds = _bounds(history, query, where, words, times)
    others: Sequence[Meant] = ()
    if query.expand and len(tokens) <= MOST_TOKENS:
        others = expand(history, _holders(history, dict(zip(said, words, strict=False))), text)
        words = _standing_in(history, text, others) if others else words
    alike = [meant.words for meant in others]
    meant = tuple(chain.from_iterable(alike))
    tokens = list(dict.fromkeys([*tokens, *meant]))
    alone = len(plain) == 1 and not query.phrases
    matched = _matched(history, words, bounds, len(tokens), alike=alike, alone=alone, sessions=sessions)
    decisive = bool(query.names) and len(query.names) >= len(query.telling)
    held = _held(history, query, bounds, matched.rows, decisive=decisive)
    warnings = [
        *([RECENT] if query.words and not plain else []),
        *(f"no entry holds {one.word!r}: searched for {', '.join(one.words)}" for one in others),
        *([RECENT] if matched.recent else []),
        *([NO_PHRASE] if held.missed else []),
    ]
    passages = best_passages(history, words, short=bounds.short)
    return Candidates(
        bounds, tokens, matched.rows, passages, held.rows, held.mentioned, held.only, decisive, meant, matched.apart,
        tuple(dict.fromkeys(warnings)), matched.truncated or held.truncated,
    )  # fmt: skip


def _taken(query: Query) -> tuple[tuple[dates.Date, ...], tuple[str, ...]]:
    """The times that a query names, and the words that say what is meant, without those of times if there are others.

    The numbers of a date stand in every log that somebody pasted, and say there what they do not mean here.
    """
    times, rest = dates.taken(" ".join(query.words))
    undated = msgspec.structs.replace(query, words=tuple(rest.split())).telling if times else ()
    return times, undated or query.telling


def _bounds(
    history: History, query: Query, where: Clause, words: Sequence[str], times: tuple[dates.Date, ...]
) -> SearchBounds:
    ids = statistics.entry_ids(history)
    # Words that carry no topic say nothing about which old entry is meant.
    oldest = 0 if query.telling else max(ids.stop - 1 - RECENT_ROWS, 0)
    short = terms.few(" ".join([*query.words, *query.phrases]), terms.counted(words))
    return SearchBounds(where, ids, oldest, short, times)


def _holders(history: History, spelled: Mapping[str, str]) -> dict[str, int]:
    """Whether entries hold each token, as words in some form or else as it stands."""
    docs = statistics.frequencies(history, "word", terms.counted([*spelled.values()]), terms.COUNTED)
    said = {token: docs[word] for token, word in spelled.items() if docs[word]}
    unsaid = [token for token in spelled if token not in said]
    return dict.fromkeys(spelled, 0) | said | statistics.frequencies(history, "literal", unsaid, RESULTS_COUNTED)


def _spelled(history: History, text: str) -> list[str]:
    """The words of a text in order, each in the spelling in which its stem first occurs.

    MATCH wants the word: the tokenizer stems it again, and a stem has another stem.
    """
    stems = vocabulary.tokens(history, text, stemmed=True)
    first: dict[str, str] = {}
    for stem, token in zip(stems, vocabulary.tokens(history, text, stemmed=False), strict=True):
        first.setdefault(stem, token)
    return [first[stem] for stem in stems]


def _standing_in(history: History, text: str, found: Sequence[Meant]) -> list[str]:
    """The words of a text, then those that stand in for some of them."""
    # The parts of a name that is cut off at both ends are no words.
    cut = {meant.word for meant in found}
    parts = camel_parts(" ".join(word for word in text.split() if word.lower() not in cut))
    return _spelled(history, " ".join([text, parts, *chain.from_iterable(meant.words for meant in found)]))


def _matched(
    history: History,
    words: Sequence[str],
    bounds: SearchBounds,
    tokens: int,
    *,
    alike: Sequence[tuple[str, ...]],
    alone: bool,
    sessions: bool,
) -> Matched:
    """The rows of the words of a query, which has so many tokens; words `alike` stand for one."""
    docs = statistics.frequencies(history, "word", terms.counted(words), terms.COUNTED)
    choice = terms.choose(docs, bounds.ids, short=bounds.short)
    if choice is None:
        return Matched({})
    floor = max(choice.floor, bounds.oldest)
    match = terms.word_match(choice, words, alike)
    order = terms.in_query_order(choice, words)
    groups = [tuple(at for at, text in enumerate(order) if text in group) for group in alike]
    given = rank.weights(
        statistics.row_count(history), [docs[text] for text in order], match.pairs,
        alike=[group for group in groups if len(group) > 1], alone=alone,
    )  # fmt: skip
    reach = choice.reach(WORD_ROWS_OF_FEW if bounds.short else WORD_ROWS)
    rows = search.match_words(history, match, floor=floor, limit=reach.limit, ranked=reach.ranked, where=bounds.where)
    rows = merging.merged(history, "word", choice, order, rows, reach)
    scores = {
        row.id: rank.Row(
            row.session, row.seq, rank.row_score(row.evidence, given, typed=row.typed == 1, sessions=sessions),
            dates.share(bounds.times, row.time),
        )
        for row in rows
    }  # fmt: skip
    few = 1 < tokens <= MOST_TOKENS and sum(docs.values()) <= RESULT_POSTINGS
    apart = few and not alike and all(0 in row.evidence[: len(order)] for row in rows)
    return Matched(scores, len(rows) >= reach.limit or floor in bounds.ids, choice.floor > 0, apart)


def completed(history: History, found: Candidates) -> Candidates:
    """Candidates with what `gather` left out: what tools answered, and rows that hold names and no other word."""
    admitted = search.admitted(history, [*found.mentioned], found.bounds.where)
    held = {**found.held, **{id_: (session, found.mentioned[id_]) for id_, session in admitted}}
    return _with_results(history, msgspec.structs.replace(found, held=held))


def _with_results(history: History, found: Candidates) -> Candidates:
    bounds = found.bounds
    docs = statistics.frequencies(history, "literal", found.tokens, RESULTS_COUNTED)
    choice = terms.choose(docs, bounds.ids, RESULT_POSTINGS)
    if choice is None:
        return found
    columns = in_columns(("result", "parts"), terms.plain_match(choice))
    match = WordMatch(columns, tuple(range(len(choice.rare))), ())
    counts = [term.docs for term in choice.rare]
    given = rank.weights(max(statistics.row_count(history), *counts), counts, ())
    reach = choice.reach(RESULT_ROWS)
    rows = search.match_results(
        history, match, floor=choice.floor, limit=reach.limit, ranked=reach.ranked, where=bounds.where
    )
    order = [term.text for term in choice.rare]
    rows = merging.merged(history, "literal", choice.alone, order, rows, reach)
    results = {row.id: (row.session, rank.row_score(row.evidence, given, sessions=False).entry) for row in rows}
    leading: dict[int, int] = {}
    if found.apart and len(counts) == len(found.tokens):
        best = max((row.score.entry for row in found.words.values()), default=0.0)
        whole = [row for row in rows if 0 not in row.evidence[: len(counts)]]
        leading = {row.id: row.session for row in whole if results[row.id][1] > best}
    truncated = found.truncated or len(rows) >= reach.limit
    return msgspec.structs.replace(found, results=results, leading=leading, truncated=truncated)


def _held(history: History, query: Query, bounds: SearchBounds, words: Rows, *, decisive: bool) -> NameRows:
    """Rows that hold names (with the share they hold), and the rows that hold all exact phrases, if any were asked."""
    names = query.names[: MOST_NAMES if decisive else MOST_NAMES_ASIDE]
    sessions = {id_: row.session for id_, row in words.items()}
    shares: dict[int, float] = {}
    truncated = False
    for name in names:
        if decisive:
            rows = _in_either_case(history, name, bounds)
            truncated = truncated or len(rows) >= HELD
            sessions.update(rows)
            ids = [id_ for id_, _ in rows]
        else:
            ids = _mentioned(history, name, bounds)
        for id_ in ids:
            shares[id_] = shares.get(id_, 0.0) + 1 / len(names)
    held = {id_: (sessions[id_], share) for id_, share in shares.items() if id_ in sessions}
    mentioned = {id_: share for id_, share in shares.items() if id_ not in held}
    only: frozenset[int] | None = None
    for wanted in query.phrases:
        rows = _literally(history, wanted, bounds)
        truncated = truncated or len(rows) >= HELD
        held |= {id_: (session, held.get(id_, (0, 0.0))[1]) for id_, session in rows}
        found = frozenset(id_ for id_, _ in rows)
        only = found if only is None else only & found
    return NameRows(held, mentioned, only or None, truncated, missed=only is not None and not only)


def _in_either_case(history: History, name: str, bounds: SearchBounds) -> list[tuple[int, int]]:
    """Rows that hold a name as it stands; where none does, a name of one word in the other case, as `C++` for `c++`.

    The words of a longer name say as much as the name; of `c++` only the signs do.
    """
    rows = _literally(history, name, bounds)
    if rows or len(vocabulary.tokens(history, spaced(name), stemmed=False)) != 1:
        return rows
    other = name.lower() if name == name.upper() else name.upper()
    return _literally(history, other, bounds) if other != name else rows


def _literally(history: History, text: str, bounds: SearchBounds) -> list[tuple[int, int]]:
    """(id, session) of at most `HELD` rows that hold a text as it stands."""
    match = _phrase(history, text)
    if not match:
        return []
    return search.with_text(history, match, text, below=bounds.ids.stop, limit=HELD, where=bounds.where)


def _mentioned(history: History, name: str, bounds: SearchBounds) -> list[int]:
    """Rows that hold the words of a name in a row: beside other words that says as much, unread."""
    match = _phrase(history, name)
    if not match:
        return []
    return search.with_phrase(history, match, below=bounds.ids.stop, most=MENTIONED)


def _phrase(history: History, text: str) -> str:
    tokens = vocabulary.tokens(history, spaced(text), stemmed=False)
    return in_columns(("said", "result"), phrase(tokens)) if tokens else ""
