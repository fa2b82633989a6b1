"""Ranked search: puts the candidates of a query in order by the pure scores of `rank`.

Everything below is deterministic. Ties end in the order of time, source, session and number, never of row ids: these
say only in what order sessions were indexed.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import msgspec

from backstory.retrieve import beside, rank
from backstory.retrieve.candidates import Candidates, completed, gather
from backstory.retrieve.echo import quieted
from backstory.store import hits, search
from backstory.store.history import History
from backstory.store.where import Clause
from backstory.text import dates
from backstory.text.query import Query

RESULT_SHARE = 0.5
# A tool result that leads stands above all entries, whose shares come to less, and below those that names decide.
LEAD = 2.0
NAME_BONUS = 0.2
TIER = 10.0
NEWEST = 300


class Ranked(msgspec.Struct):
    """Ordered candidates as (id, session key, score), best first, over a bounded candidate set.

    `truncated` says that more rows matched than were ranked. `meant` are words that stood in for those of the query.
    """

    entries: list[tuple[int, int, float]] = []
    sessions: list[tuple[int, float, int]] = []
    warnings: Sequence[str] = ()
    truncated: bool = False
    meant: tuple[str, ...] = ()


def ranked(
    history: History, query: Query, where: Clause, *, sessions: bool = True, wanted: int | None = None
) -> Ranked:
    """Entries for a query and, if asked for, sessions, each in its own order; filters alone give the newest entries.

    Only the first `wanted` of each are told apart where scores are equal, by default all.
    """
    if query.filters and not (query.words or query.phrases):
        return _newest(history, where)
    found = gather(history, query, where, sessions=sessions)
    found = msgspec.structs.replace(found, words=quieted(history, found.words))
    lent = beside.lent(found.words)
    entries = rank.entry_scores(found.words, lent, found.passages)
    rows = found.words
    if not (sessions or found.bounds.short or found.decisive):
        silent = beside.silent(rows, entries)
        answers = _answers(history, found, silent)
        lent |= {id_: silent[row.session, row.seq] for id_, row in answers.items()}
        rows = {**rows, **answers}
        entries = rank.entry_scores(rows, lent, found.passages)
    bonus = TIER if found.decisive else NAME_BONUS
    ceiling = RESULT_SHARE * max(entries.values(), default=1.0)
    if sessions or not _settled(found, entries, ceiling + bonus * bool(found.held or found.mentioned), wanted):
        found = completed(history, found)
    top = max((score for _, score in found.results.values()), default=0.0)
    for id_, (_, score) in found.results.items():
        entries.setdefault(id_, ceiling * score / top if top else 0.0)
    owner = {id_: row[0] for told in (found.held, found.results) for id_, row in told.items()}
    owner |= {id_: row.session for id_, row in rows.items()}
    for id_, (_, share) in found.held.items():
        entries[id_] = entries.get(id_, 0.0) + bonus * share
    for id_ in found.leading:
        entries[id_] += LEAD
    if found.only is not None:
        entries = {id_: score for id_, score in entries.items() if id_ in found.only}
    sorted_ = _in_order(entries, partial(hits.entry_places, history), wanted)
    order = [(id_, owner[id_], entries[id_]) for id_ in sorted_]
    named = _sessions(history, found, order, bonus, narrowed=bool(where.sql), wanted=wanted) if sessions else []
    return Ranked(order, named, found.warnings, found.truncated, found.meant)


def _answers(history: History, found: Candidates, places: Iterable[beside.Place]) -> rank.Rows:
    """What was said at places beside the best rows, in no word of the query."""
    said = search.said_at(history, sorted(places), found.bounds.where)
    return {
        id_: rank.Row(session, seq, rank.SILENT, dates.share(found.bounds.times, time))
        for id_, session, seq, time in said
        if id_ not in found.words
    }


def _settled(found: Candidates, entries: Mapping[int, float], bar: float, wanted: int | None) -> bool:
    """Whether the first `wanted` entries stand above a `bar` that nothing reaches that is not among them yet."""
    if wanted is None or not found.truncated or found.apart or found.only is not None:
        return False
    return sum([score > bar for score in entries.values()]) >= wanted


def _newest(history: History, where: Clause) -> Ranked:
    rows = search.newest(history, limit=NEWEST, where=where)
    best: dict[int, int] = {}
    for id_, session in rows:
        best.setdefault(session, id_)
    sessions = [(session, 0.0, id_) for session, id_ in best.items()]
    return Ranked([(id_, session, 0.0) for id_, session in rows], sessions, truncated=len(rows) == NEWEST)


def _sessions(
    history: History,
    found: Candidates,
    entries: Sequence[tuple[int, int, float]],
    bonus: float,
    *,
    narrowed: bool,
    wanted: int | None,
) -> list[tuple[int, float, int]]:
    """(session key, score, best entry id), best first; a session without a matching entry has best 0.

    When a query is narrowed, only a matching entry says that a session is meant.
    """
    scores = rank.session_scores(found.words.values(), found.passages)
    shares: dict[int, float] = {}
    for session, share in found.held.values():
        shares[session] = max(shares.get(session, 0.0), share)
    for session, share in shares.items():
        scores[session] = scores.get(session, 0.0) + bonus * share
    for session in {*found.leading.values()}:
        scores[session] = scores.get(session, 0.0) + LEAD
    with_entries = {session for _, session, _ in entries}
    for session in with_entries:
        scores.setdefault(session, 0.0)
    if narrowed or found.only is not None:
        scores = {session: score for session, score in scores.items() if session in with_entries}
    order = _in_order(scores, partial(hits.session_places, history), wanted)
    best = _best(history, entries, {*order[:wanted]})
    return [(session, scores[session], best.get(session, 0)) for session in order]


def _best(history: History, entries: Sequence[tuple[int, int, float]], sessions: Collection[int]) -> dict[int, int]:
    """The best entry of each of some sessions, out of entries in the order of their scores."""
    best: dict[int, list[int]] = {}
    top: dict[int, float] = {}
    for id_, session, score in entries:
        if session in sessions and top.setdefault(session, score) == score:
            best.setdefault(session, []).append(id_)
    tied = [id_ for ids in best.values() if len(ids) > 1 for id_ in ids]
    place = hits.entry_places(history, tied) if tied else {}
    return {session: min(ids, key=lambda id_: place.get(id_, 0)) for session, ids in best.items()}


def _in_order(
    scores: Mapping[int, float], places: Callable[[list[int]], Mapping[int, Any]], wanted: int | None
) -> list[int]:
    """The best first; those of one score by what `places` says of them, if any of them is among the first `wanted`."""
    order = sorted(scores, key=scores.__getitem__, reverse=True)
    wanted = len(order) if wanted is None else wanted
    runs: list[list[int]] = []
    settled = 0
    for _, run in groupby(order, scores.__getitem__):
        if settled >= wanted:
            break
        runs.append(list(run))
        settled += len(runs[-1])
    tied = [id_ for run in runs if len(run) > 1 for id_ in run]
    if not tied:
        return order
    place = places(tied)
    first = [id_ for run in runs for id_ in (sorted(run, key=place.__getitem__) if len(run) > 1 else run)]
    return first + order[settled:]
