"""Lists the rows of a phrase in order, looking no further than its reader goes and never at a text.

Occurrences come first: one word is counted from the index's list of occurrences alone, a longer phrase by the `spans`
function. Among rows that hold as many, the shortest come next; what settles ties is looked up for some rows at a time.
Pages are made in `retrieve.literal`.
"""

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cmp_to_key
from itertools import compress
from operator import eq
from typing import Any

import msgspec

from backstory.records.base import Record
from backstory.records.paging import Key
from backstory.store.history import History
from backstory.store.hits import session_places
from backstory.store.search import ABOVE_ALL, visible
from backstory.store.statements import FIRST_LIVE, array, live, load
from backstory.store.statistics import newest_id
from backstory.store.where import Clause
from backstory.text.match import in_columns, quoted

SQL = load("literal")
COLUMNS = ("said", "result")
# So many rows are looked up first, then so many times as many.
BATCH = 32
WIDER = 8
# After so many rows, or some of which conditions admitted few (one in so many), the rest is looked up at once.
MANY = 2_000
SOME = 250
FEW = 16
# For each entry whose length is wanted, so many others may be gone past.
STEPS = 2

Range = tuple[int, int]


class PhraseQuery(Record, frozen=True):
    """The tokens of a phrase, the row ids to stay within, and the key behind which to go on.

    With `sessions`, only rows of sessions that have none up to that key count.
    """

    tokens: tuple[str, ...]
    within: Range | None = None
    after: Key | None = None
    sessions: bool = False


class Row(msgspec.Struct, frozen=True, gc=False):
    """A matching entry: its rank (length in code points less 2^32 for each occurrence), and where it stands.

    No time counts as -1.
    """

    rank: int
    time: int
    session_id: str
    seq: int
    session: int
    id: int

    @property
    def key(self) -> Key:
        """What a cursor says to go on behind this row."""
        return (self.rank, self.time, self.session_id, self.seq, self.id)


class Order:
    """How rows of literal search sort: by their keys, twins by source and path of their sessions.

    Twins agree in everything up to the number, which takes two sessions of one id. Row ids say only in what order
    sessions were indexed.
    """

    def __init__(self, history: History) -> None:
        self._history = history
        self._names: dict[int, tuple[str, str]] = {}
        self.place = cmp_to_key(self._compare)

    def sorted(self, rows: Iterable[Row]) -> list[Row]:
        """Some rows in order."""
        found = sorted(rows, key=_place)
        if len({row.session for row in found}) == len({row.session_id for row in found}):
            return found
        return sorted(found, key=self.place)

    def later(self, row: Row, other: Row) -> bool:
        """Whether a row stands behind another."""
        mine, its = _place(row), _place(other)
        return mine > its or (mine == its and self._twin(row) > self._twin(other))

    def row(self, key: Key) -> Row:
        """The row that a key is of."""
        sql = "SELECT session FROM entries WHERE id = ?"
        [(session,)] = self._history.rows(live(sql) if key[-1] >= FIRST_LIVE else sql, (key[-1],))
        return Row(*key[:-1], session, key[-1])

    def _compare(self, one: Row, other: Row) -> int:
        return self.later(one, other) - self.later(other, one)

    def _twin(self, row: Row) -> tuple[str, str, int]:
        return (*self._name(row.session), row.id)

    def _name(self, session: int) -> tuple[str, str]:
        if session not in self._names:
            [(_, source, _, path)] = session_places(self._history, [session]).values()
            self._names[session] = (source, path)
        return self._names[session]


def _place(row: Row) -> tuple[int, int, str, int]:
    return (row.rank, -row.time, row.session_id, -row.seq)


def matches(history: History, match: PhraseQuery, where: Clause) -> list[Iterator[Row]]:
    """The rows of the stored tables, and of the live ones if there are any, each in order and looked up when taken."""
    homes: list[Callable[[str], str]] = [str, live] if history.live else [str]
    return [iter(_Matching(history, home, match, where)) for home in homes]


class _Matching:
    """The matching rows of one set of tables. `ids` are theirs in order, some twice; `more`: how often those occur."""

    def __init__(self, history: History, home: Callable[[str], str], match: PhraseQuery, where: Clause) -> None:
        self._history = history
        self._home = home
        self._where = where
        self._match = match
        self._ids, self._more = self._counted()
        self._order = Order(history)
        self._after = self._order.row(match.after) if match.after else None
        self._least, self._count = (0, ABOVE_ALL) if match.after is None else _parts(match.after[0])
        self._asked: set[int] = set()
        self._given: set[int] = set()

    def __iter__(self) -> Iterator[Row]:
        looked: set[int] = set()
        admitted = 0
        for ids in self._batches():
            rows = self._rows(ids)
            looked.update(ids)
            admitted += len(rows)
            yield from self._behind(rows)
            if len(looked) >= MANY or (len(looked) >= SOME and len(looked) > FEW * admitted):
                break
        # Bit by bit the rest would take far longer than all of it at once.
        rest = [id_ for id_ in {*self._ids} - looked if self._more.get(id_, 1) <= self._count]
        yield from self._behind(self._rows(sorted(rest)))

    def _behind(self, rows: list[Row]) -> Iterator[Row]:
        """Those of some rows that were not given yet."""
        if self._after is not None:
            rows = [row for row in rows if self._order.later(row, self._after)]
            if self._match.sessions:
                self._ask({row.session for row in rows} - self._asked)
        return (row for row in rows if row.session not in self._given)

    def _run(self, sql: str, args: Mapping[str, Any] | Sequence[Any]) -> list[tuple[Any, ...]]:
        return list(self._history.rows(self._home(sql), args))

    def _counted(self) -> tuple[list[int], Mapping[int, int]]:
        # Inside one session there are few rows to count, and only the phrase form can stay within their ids.
        if len(self._match.tokens) == 1 and self._match.within is None:
            [(told,)] = self._run(SQL.word, {"match": self._match.tokens[0]})
            places = msgspec.json.decode(told, type=list[int])
            again = Counter(compress(places, map(eq, places, places[1:])))
            return places, {id_: count + 1 for id_, count in again.items()}
        low, high = self._match.within or (-1, ABOVE_ALL)
        phrase = in_columns(COLUMNS, quoted(" ".join(self._match.tokens)))
        rows = [row for row in self._run(SQL.phrase, {"match": phrase, "low": low, "high": high}) if row[1]]
        return [id_ for id_, _ in rows], {id_: count for id_, count in rows if count > 1}

    def _batches(self) -> Iterator[list[int]]:
        """Row ids, none of which is before one of an earlier batch, from the one to go on behind."""
        waiting: list[int] = []
        for count, ids in self._by_count():
            if len(waiting) + len(ids) <= BATCH:
                waiting += ids
                continue
            if waiting:
                yield waiting
            waiting = []
            yield from self._by_length(ids, self._least if count == self._count else 0)
        if waiting:
            yield waiting

    def _by_count(self) -> Iterator[tuple[int, set[int]]]:
        alike: defaultdict[int, set[int]] = defaultdict(set)
        for id_, count in self._more.items():
            alike[count].add(id_)
        yield from ((count, alike[count]) for count in sorted(alike, reverse=True) if count <= self._count)
        once = set(self._ids)
        once.difference_update(self._more)
        yield 1, once

    def _by_length(self, ids: set[int], size: int) -> Iterator[list[int]]:
        """The ids of entries of a length of `size` or more, the shortest first; those of one length stay together.

        Where every so many entries is one of them, going through all entries by length soon meets the first. Where that
        would take long, their own lengths are read.
        """
        most, passed, met = BATCH * self._total() // len(ids), 0, 0
        passing = most <= STEPS * len(ids)
        if not passing:
            most = BATCH
        last, found = -1, list[tuple[int, int]]()
        while True:
            args = {"size": size, "id": last, "most": most, "ids": "" if passing else array(sorted(ids))}
            [told] = self._run(SQL.lengths if passing else SQL.sizes, args)
            sizes, rows = (msgspec.json.decode(text, type=list[int]) for text in told)
            mine = list(compress(zip(sizes, rows, strict=True), map(ids.__contains__, rows)))
            found += mine
            if len(rows) < most:
                yield [id_ for _, id_ in found]
                return
            size, last = sizes[-1], rows[-1]
            passed, met = passed + most, met + len(mine)
            yield [id_ for length, id_ in found if length < size]
            found = [row for row in found if row[0] == size]
            if passing and passed * BATCH > met * 2 * STEPS * len(ids):
                passing, most = False, BATCH
            else:
                most *= 2 if passing else WIDER

    def _total(self) -> int:
        return newest_id(self._history) if self._home is str else ABOVE_ALL

    def _rows(self, ids: Iterable[int]) -> list[Row]:
        """Those of some rows that conditions admit, in order."""
        args = {"ids": array(ids), **self._where.args}
        told = self._run(visible(self._history, SQL.keys, self._where), args)
        rows = [Row(size - (self._more.get(rest[-1], 1) << 32), *rest) for size, *rest in told]
        return self._order.sorted(rows)

    def _ask(self, sessions: set[int]) -> None:
        """Remembers which of some sessions have a row up to the key."""
        near: set[int] = set()
        for (told,) in self._run(SQL.ranges, (array(sessions),)) if sessions else ():
            low, high = msgspec.json.decode(told, type=Range)
            inside = self._ids[bisect_left(self._ids, low) : bisect_right(self._ids, high)]
            near.update(id_ for id_ in inside if self._more.get(id_, 1) >= self._count)
        rows = self._rows(sorted(near))
        self._given |= {row.session for row in rows if self._after and not self._order.later(row, self._after)}
        self._asked |= sessions


def _parts(rank: int) -> Range:
    """The length and the occurrences of a rank."""
    count = -(rank >> 32)
    return rank + (count << 32), count


def id_range(history: History, session: int) -> Range:
    """The lowest and highest row id of a session's entries."""
    sql = live(SQL.ranges) if session < 0 else SQL.ranges
    [(told,)] = history.rows(sql, (array([session]),))
    low, high = msgspec.json.decode(told)
    return (low or 0, high or 0)
