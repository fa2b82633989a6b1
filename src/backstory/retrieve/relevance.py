"""Ranked search: puts the candidates of a query in order by the pure scores of `rank`.

Everything below is deterministic. Ties end in the order of time, source, session and number, never of row ids: these
say only in what order sessions were indexed.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import msgspec

from backstory.retrieve import rank
from backstory.retrieve.candidates import Candidates, gather
from backstory.store import search
from backstory.store.history import History
from backstory.store.where import Clause
from backstory.text.query import Query

RESULT_SHARE = 0.5
NAME_BONUS = 0.2
TIER = 10.0
NEWEST = 300


class Ranked(msgspec.Struct):
    """Ordered candidates as (id, session key, score), best first, over a bounded candidate set.

    `truncated` says that more rows matched than were ranked.
    """

    entries: list[tuple[int, int, float]] = []
    sessions: list[tuple[int, float, int]] = []
    warnings: list[str] = []
    truncated: bool = False


def ranked(history: History, query: Query, where: Clause, *, sessions: bool = True) -> Ranked:
    """Entries for a query and, if asked for, sessions, each in its own order; filters alone give the newest entries."""
    if query.filters and not (query.words or query.phrases):
        return _newest(history, where)
    found = gather(history, query, where)
    entries = rank.entry_scores(
        {id_: (session, score.entry) for id_, (session, score) in found.words.items()}, found.passages
    )
    ceiling = RESULT_SHARE * max(entries.values(), default=1.0)
    top = max((score for _, score in found.results.values()), default=0.0)
    for id_, (_, score) in found.results.items():
        entries.setdefault(id_, ceiling * score / top if top else 0.0)
    bonus = TIER if found.decisive else NAME_BONUS
    owner = {id_: pair[0] for rows in (found.held, found.results, found.words) for id_, pair in rows.items()}
    for id_, (_, share) in found.held.items():
        entries[id_] = entries.get(id_, 0.0) + bonus * share
    if found.only is not None:
        entries = {id_: score for id_, score in entries.items() if id_ in found.only}
    order = [(id_, owner[id_], entries[id_]) for id_ in _in_order(entries, partial(search.entry_places, history))]
    named = _sessions(history, found, order, bonus, narrowed=bool(where.sql)) if sessions else []
    return Ranked(order, named, found.warnings, found.truncated)


def _newest(history: History, where: Clause) -> Ranked:
    rows = search.newest(history, limit=NEWEST, where=where)
    best: dict[int, int] = {}
    for id_, session in rows:
        best.setdefault(session, id_)
    sessions = [(session, 0.0, id_) for session, id_ in best.items()]
    return Ranked([(id_, session, 0.0) for id_, session in rows], sessions, truncated=len(rows) == NEWEST)


def _sessions(
    history: History, found: Candidates, entries: Sequence[tuple[int, int, float]], bonus: float, *, narrowed: bool
) -> list[tuple[int, float, int]]:
    """(session key, score, best entry id), best first; a session without a matching entry has best 0.

    When a query is narrowed, only a matching entry says that a session is meant.
    """
    rows = [(session, score.session) for session, score in found.words.values()]
    scores = rank.session_scores(rows, found.passages)
    best: dict[int, int] = {}
    for id_, session, _ in entries:
        best.setdefault(session, id_)
    shares: dict[int, float] = {}
    for session, share in found.held.values():
        shares[session] = max(shares.get(session, 0.0), share)
    for session, share in shares.items():
        scores[session] = scores.get(session, 0.0) + bonus * share
    for session in best:
        scores.setdefault(session, 0.0)
    if narrowed or found.only is not None:
        scores = {session: score for session, score in scores.items() if session in best}
    order = _in_order(scores, partial(search.session_places, history))
    return [(session, scores[session], best.get(session, 0)) for session in order]


def _in_order(scores: Mapping[int, float], places: Callable[[list[int]], Mapping[int, Any]]) -> list[int]:
    """The best first; those of one score by what `places` says of them."""
    counts = Counter(scores.values())
    tied = [id_ for id_, score in scores.items() if counts[score] > 1]
    order = places(tied) if tied else {}
    return sorted(scores, key=lambda id_: (-scores[id_], order.get(id_)))
