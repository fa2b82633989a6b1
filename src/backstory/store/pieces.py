"""Finds all rows that hold a piece of text literally, newest first, and looks at no more of them than are asked for.

Which MATCH expression narrows a piece is decided in `retrieve.exact`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

import msgspec

from backstory.store.history import History
from backstory.store.hits import in_time
from backstory.store.search import ABOVE_ALL, NOTHING, visible
from backstory.store.statements import array, live, load
from backstory.store.statistics import entry_ids
from backstory.store.where import Clause

SQL = load("pieces")
BATCH = 16
MOST_AT_ONCE = 2_000
# Reading when entries were made costs five times as much as reading which ones match. Of more entries than are put in
# order at once, the latest sessions are asked first; the first two groups alone where the rest are not many.
SORTED_AT_ONCE = 500
NOT_MANY = 2_000
PROBED = 200
KNOWN = 5_000
SESSIONS = (4, 16, 64, 512)
LATEST = 84
# Ranges of row ids closer than this are read as one: a look into the index costs as much as some hundred rows.
GAP = 1_000

Row = tuple[int, int, int, int]
Range = tuple[int, int]


def matching_rows(
    history: History, match: str, wanted: Callable[[bytes], bool], where: Clause = NOTHING, *, loose: str = ""
) -> Iterator[tuple[int, int]]:
    """(id, session) of all rows that match and whose text, in UTF-8, is wanted, newest first.

    `loose` finds them too, with others, in less time, where listing them all takes long.
    """
    found, size = _newest_first(history, match, where, loose), BATCH
    while part := list(islice(found, size)):
        held = {id_ for id_, body in texts(history, [id_ for id_, _ in part]) if wanted(body)}
        yield from (row for row in part if row[0] in held)
        size = min(2 * size, MOST_AT_ONCE)


def few_ids(history: History, match: str, most: int) -> list[int] | None:
    """The ids of all rows that match; None when more than `most` stored ones do."""
    ids = _matching(history, match, most + 1)
    return [*ids, *_live_matching(history, match)] if len(ids) <= most else None


def placed(history: History, ids: Sequence[int], where: Clause = NOTHING) -> list[tuple[int, int]]:
    """(id, session) of those of some rows that are no copies, not hidden and meet conditions, newest first."""
    return in_time(history, [*_places(history, ids, where), *_live_places(history, ids, where)])


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
    for sessions, bound in _latest(history, SESSIONS):
        waiting += history.rows(visible(history, SQL.scanned_of, where), {**args, "of": array(sessions)})
        yield from in_time(history, [row for row in waiting if row[2] > bound])
        waiting = [row for row in waiting if row[2] <= bound]
        asked += sessions
        if latest and len(asked) >= LATEST:
            return
    if not latest:
        rest = history.rows(visible(history, SQL.scanned, where), {**args, "but": array(asked)})
        yield from in_time(history, [*waiting, *rest])


def _newest_first(history: History, match: str, where: Clause, loose: str) -> Iterator[tuple[int, int]]:
    """(id, session) of all rows that match, and of some others that `loose` finds, newest first.

    No entry is later than the time its session was last used. So rows of the latest sessions that are later than that
    of the next session are the newest of all.
    """
    matches = Matches(history, match, loose)
    waiting = _live_places(history, _live_matching(history, match), where)
    asked: set[int] = set()
    for sessions, bound in _latest(history, matches.groups):
        ids = matches.within(joined(_ranges(history, sessions)))
        waiting += [row for row in _places(history, ids, where) if row[1] in sessions]
        yield from in_time(history, [row for row in waiting if row[2] > bound])
        waiting = [row for row in waiting if row[2] <= bound]
        asked.update(sessions)
    rest = _places(history, matches.all(), where)
    yield from in_time(history, [*waiting, *(row for row in rest if row[1] not in asked)])


class Matches:
    """The ids of stored rows that match, listed as far as needed; `groups`: of so many of the latest sessions first.

    Where there must be plenty, the latest sessions mostly hold enough, and `loose` finds those in less time.
    """

    def __init__(self, history: History, match: str, loose: str) -> None:
        self._history, self._match, self._loose = history, match, loose
        self._most = PROBED if loose else KNOWN
        self._ids = _matching(history, match, self._most)
        probed = bool(loose) and len(self._ids) == PROBED
        self._untried = probed and self._estimated() > KNOWN
        if not self._untried:
            self._list()
        self.groups: tuple[int, ...] = ()
        if self._untried or len(self._ids) > SORTED_AT_ONCE:
            self.groups = SESSIONS if self._untried or len(self._ids) > NOT_MANY else SESSIONS[:2]

    def _estimated(self) -> int:
        """How many match, as far as the first ones tell."""
        ids = entry_ids(self._history)
        return len(ids) * PROBED // max(self._ids[-1] - ids.start + 1, 1)

    def _list(self) -> None:
        """Goes on until all are listed, or `KNOWN` of them."""
        if self._most < KNOWN and len(self._ids) == self._most:
            self._ids += _matching(self._history, self._match, KNOWN - self._most, (self._ids[-1] + 1, ABOVE_ALL))
        self._most = KNOWN

    def within(self, ranges: Sequence[Range]) -> list[int]:
        """The ids of those in some ranges, perhaps among others."""
        if self._untried:
            self._untried = False
            return [id_ for near in ranges for id_ in _matching(self._history, self._loose, -1, near)]
        self._list()
        return [id_ for near in ranges for id_ in self._inside(near)]

    def _inside(self, near: Range) -> Sequence[int]:
        if len(self._ids) < KNOWN or near[1] <= self._ids[-1]:
            return self._ids[bisect_left(self._ids, near[0]) : bisect_right(self._ids, near[1])]
        return _matching(self._history, self._match, -1, near)

    def all(self) -> list[int]:
        """All of them."""
        self._list()
        return self._ids if len(self._ids) < KNOWN else _matching(self._history, self._match, -1)


def _matching(history: History, match: str, most: int, near: Range = (0, ABOVE_ALL)) -> list[int]:
    """The ids of the first stored rows that match, in order."""
    args = {"match": match, "most": most, "low": near[0], "high": near[1]}
    [(told,)] = history.rows(SQL.matching, args)
    return msgspec.json.decode(told, type=list[int])


def _places(history: History, ids: Sequence[int], where: Clause) -> list[Row]:
    return list(history.rows(visible(history, SQL.places, where), {"ids": array(ids), **where.args}))


def _live_matching(history: History, match: str) -> list[int]:
    args = {"match": match, "most": -1, "low": 0, "high": ABOVE_ALL}
    return [id_ for (told,) in _live(history, SQL.matching, args) for id_ in msgspec.json.decode(told)]


def _live_places(history: History, ids: Sequence[int], where: Clause) -> list[Row]:
    return list(_live(history, visible(history, SQL.places, where), {"ids": array(ids), **where.args}))


def _live(history: History, sql: str, args: Sequence[object] | Mapping[str, object]) -> Iterable[Any]:
    return history.rows(live(sql), args) if history.live else ()


def _latest(history: History, groups: Sequence[int]) -> Iterator[tuple[list[int], int]]:
    """Groups of stored sessions, the last used first, with the time after which no later group was used."""
    sessions = list(history.rows(SQL.latest, (sum(groups) + 1,))) if groups else []
    for size in groups:
        group, sessions = sessions[:size], sessions[size:]
        if not sessions:
            return
        yield [key for key, _ in group], sessions[0][1]


def _ranges(history: History, sessions: Sequence[int]) -> list[Range]:
    """The lowest and the highest row id of the entries of each of some sessions that have any."""
    known = history.known()
    unknown = [session for session in sessions if ("range", session) not in known]
    if unknown:
        rows = history.rows(SQL.ranges, (array(unknown),))
        known.update({("range", session): msgspec.json.decode(told) for session, told in rows})
    ranges = [known["range", session] for session in sessions]
    return [(low, high) for low, high in ranges if low is not None]


def joined(ranges: Iterable[Range]) -> list[Range]:
    """Ranges in order, those made one between which at most `GAP` rows lie."""
    found: list[Range] = []
    for low, high in sorted(ranges):
        if found and low - found[-1][1] <= GAP:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return found
