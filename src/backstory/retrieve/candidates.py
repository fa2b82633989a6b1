"""Gathers the bounded candidates of a query from each index, with what ranking has to know of them.

Three kinds: rows whose words match, tool output that matches, and rows that hold a name or an exact phrase. What they
are looked up by is read in `asked`; their order is made in `relevance`, from numbers that `rank` computes.
"""

from collections.abc import Mapping, Sequence
from itertools import chain

import msgspec

from backstory.records.base import Record
from backstory.retrieve import merging, rank, terms
from backstory.retrieve.asked import RESULTS_COUNTED, Asked, SearchBounds, asked
from backstory.retrieve.conversation import best_passages
from backstory.retrieve.expand import MOST_TOKENS
from backstory.retrieve.held import holders
from backstory.retrieve.rank import Rows
from backstory.store import search, statistics
from backstory.store.history import History
from backstory.store.search import WordMatch
from backstory.store.where import Clause
from backstory.text import dates
from backstory.text.match import in_columns
from backstory.text.query import Query

WORD_ROWS = 200
WORD_ROWS_OF_FEW = 100
RESULT_ROWS = 40
RESULT_POSTINGS = 300

RECENT = "only very common words: the newest entries were searched"
NO_PHRASE = "no entry holds the exact phrase; entries with its words are shown"


class Matched(Record, frozen=True):
    """Rows whose words match, by id.

    `truncated`: more rows matched. `recent`: only the newest were looked at. `apart`: the words are few and rare, and
    no entry holds all.
    """

    rows: Rows
    truncated: bool = False
    recent: bool = False
    apart: bool = False


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
    wanted = asked(history, query, where)
    bounds = wanted.bounds
    matched = _matched(history, wanted, sessions=sessions)
    decisive = bool(query.names) and len(query.names) >= len(query.telling)
    held = holders(history, query, bounds, matched.rows, decisive=decisive)
    warnings = [
        *([RECENT] if query.words and not wanted.telling else []),
        *(f"no entry holds {one.word!r}: searched for {', '.join(one.words)}" for one in wanted.others),
        *([RECENT] if matched.recent else []),
        *([NO_PHRASE] if held.missed else []),
    ]
    passages = best_passages(history, wanted.words, short=bounds.short)
    return Candidates(
        bounds, wanted.tokens, matched.rows, passages, held.rows, held.mentioned, held.only, decisive,
        tuple(chain.from_iterable(wanted.alike)), matched.apart, tuple(dict.fromkeys(warnings)),
        matched.truncated or held.truncated,
    )  # fmt: skip


def _matched(history: History, wanted: Asked, *, sessions: bool) -> Matched:
    """The rows that hold words of a query."""
    words, bounds, alike = wanted.words, wanted.bounds, wanted.alike
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
        alike=[group for group in groups if len(group) > 1], alone=wanted.alone,
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
    few = 1 < len(wanted.tokens) <= MOST_TOKENS and sum(docs.values()) <= RESULT_POSTINGS
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
