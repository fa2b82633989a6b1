"""Finds all rows that hold a text literally, newest first, and looks at no more of them than are asked for.

Which MATCH expression narrows a text is decided in `retrieve.exact`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import msgspec

from backstory.store.history import History
from backstory.store.search import ABOVE_ALL, NOTHING, in_time, visible
from backstory.store.statements import array, live, load
from backstory.store.where import Clause

SQL = load("holding")
BATCH = 16
MOST_AT_ONCE = 2_000
# Reading when entries were made costs five times as much as reading which ones match.
SORTED_AT_ONCE = 1_500
KNOWN = 5_000
SESSIONS = (4, 16, 64, 512)
LATEST = 84
# Ranges of row ids closer than this are read as one: a look into the index costs as much as some hundred rows.
GAP = 1_000

Place = tuple[int, int, int, int]
Range = tuple[int, int]


def holding_rows(
    history: History, match: str, wanted: Callable[[bytes], bool], where: Clause = NOTHING
) -> Iterator[tuple[int, int]]:
    """(id, session) of all rows that match and whose text, in UTF-8, is wanted, newest first."""
    found, size = _newest_first(history, match, where), BATCH
    while part := list(islice(found, size)):
        held = {id_ for id_, body in texts(history, [id_ for id_, _ in part]) if wanted(body)}
        yield from (row for row in part if row[0] in held)
        size = min(2 * size, MOST_AT_ONCE)


def few_rows(history: History, match: str, most: int, where: Clause = NOTHING) -> list[tuple[int, int]] | None:
    """(id, session) of all rows that match, newest first; None when more than `most` stored ones do."""
    ids = _matching(history, match, most + 1)
    if len(ids) > most:
        return None
    return in_time(history, [*_places(history, ids, where), *_live_places(history, match, where)])


def texts(history: History, ids: Sequence[int]) -> Iterator[tuple[int, bytes]]:
    """(id, UTF-8) of the texts of rows, each read when it is asked for."""
    args = (array(ids),)
    return chain(history.rows(SQL.texts, args), _live(history, SQL.texts, args))


def scanned_rows(
    history: History, text: str, where: Clause = NOTHING, *, latest: bool = False
) -> Iterator[tuple[int, int]]:
    """(id, session) of all rows that hold `text`, newest first, without an index.

    Stored texts are looked at until enough were found: those of the latest sessions before the others, which `latest`
    leaves out.
    """
    args = {"text": text, **where.args}
    waiting = list(_live(history, visible(history, SQL.scanned, where), {**args, "but": "[]"}))
    asked: list[int] = []
    for sessions, bound in _latest(history):
        waiting += history.rows(visible(history, SQL.scanned_of, where), {**args, "of": array(sessions)})
        yield from in_time(history, [row for row in waiting if row[2] > bound])
        waiting = [row for row in waiting if row[2] <= bound]
        asked += sessions
        if latest and len(asked) >= LATEST:
            return
    if not latest:
        rest = history.rows(visible(history, SQL.scanned, where), {**args, "but": array(asked)})
        yield from in_time(history, [*waiting, *rest])


def _newest_first(history: History, match: str, where: Clause) -> Iterator[tuple[int, int]]:
    """(id, session) of all rows that match, newest first.

    No entry is later than the time its session was last used. So rows of the latest sessions that are later than that
    of the next session are the newest of all.
    """
    known = _matching(history, match, KNOWN)
    complete = len(known) < KNOWN
    waiting = _live_places(history, match, where)
    asked: set[int] = set()
    for sessions, bound in _latest(history) if len(known) > SORTED_AT_ONCE else ():
        ranges = _joined(_ranges(history, sessions))
        ids = [
            id_
            for near in ranges
            for id_ in (_inside(known, near) if complete else _matching(history, match, -1, near))
        ]
        waiting += [row for row in _places(history, ids, where) if row[1] in sessions]
        yield from in_time(history, [row for row in waiting if row[2] > bound])
        waiting = [row for row in waiting if row[2] <= bound]
        asked.update(sessions)
    ids = known if complete else _matching(history, match, -1)
    yield from in_time(history, [*waiting, *(row for row in _places(history, ids, where) if row[1] not in asked)])


def _matching(history: History, match: str, most: int, near: Range = (0, ABOVE_ALL)) -> list[int]:
    """The ids of the first stored rows that match, in order."""
    args = {"match": match, "most": most, "low": near[0], "high": near[1]}
    [(told,)] = history.rows(SQL.matching, args)
    return msgspec.json.decode(told, type=list[int])


def _inside(ids: Sequence[int], near: Range) -> Sequence[int]:
    return ids[bisect_left(ids, near[0]) : bisect_right(ids, near[1])]


def _places(history: History, ids: Sequence[int], where: Clause) -> list[Place]:
    return list(history.rows(visible(history, SQL.places, where), {"ids": array(ids), **where.args}))


def _live_places(history: History, match: str, where: Clause) -> list[Place]:
    args = {"match": match, "most": -1, "low": 0, "high": ABOVE_ALL}
    sql = visible(history, SQL.places, where)
    told = [ids for (ids,) in _live(history, SQL.matching, args)]
    return [row for ids in told for row in _live(history, sql, {"ids": ids, **where.args})]


def _live(history: History, sql: str, args: Sequence[object] | Mapping[str, object]) -> Iterable[Any]:
    return history.rows(live(sql), args) if history.live else ()


def _latest(history: History) -> Iterator[tuple[list[int], int]]:
    """Groups of stored sessions, the last used first, with the time after which no later group was used."""
    sessions = list(history.rows(SQL.latest, (sum(SESSIONS) + 1,)))
    for size in SESSIONS:
        group, sessions = sessions[:size], sessions[size:]
        if not sessions:
            return
        yield [key for key, _ in group], sessions[0][1]


def _ranges(history: History, sessions: Sequence[int]) -> list[Range]:
    """The lowest and the highest row id of the entries of each of some sessions that have any."""
    known = history.known()
    unknown = [session for session in sessions if ("range", session) not in known]
    if unknown:
        known.update(dict.fromkeys([("range", session) for session in unknown]))
        known.update({("range", session): range_ for session, *range_ in history.rows(SQL.ranges, (array(unknown),))})
    return [(found[0], found[1]) for session in sessions if (found := known["range", session])]


def _joined(ranges: Iterable[Range]) -> list[Range]:
    found: list[Range] = []
    for low, high in sorted(ranges):
        if found and low - found[-1][1] <= GAP:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return found
