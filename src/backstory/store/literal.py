"""Finds the rows of a phrase with the keys they are ordered by, without looking at any text.

One word is counted from the index's list of occurrences alone; a longer phrase by the `spans` function. Rows are put in
order here, by their rank and what settles ties, only as far as a page needs; pages are made in `retrieve.literal`.
"""

from typing import Any

import msgspec

from backstory.records.base import Record
from backstory.records.paging import Key
from backstory.store.connection import rows
from backstory.store.history import History
from backstory.store.search import visible
from backstory.store.statements import live, load
from backstory.store.where import Clause
from backstory.text.match import in_columns, quoted

SQL = load("literal")
COLUMNS = ("said", "result")
BEGINNING: Key = (-(1 << 62), 0, "", 0, 0)
EVENTS_PER_SESSION = 8
WIDER = 8

Range = tuple[int, int]


class Match(Record, frozen=True):
    """The tokens of a phrase, the row ids to stay within, and which rows are wanted: so many behind the key `after`.

    With `sessions`, so many sessions are wanted and only rows of sessions that have none up to that key. `reach` is how
    many items there are up to the last one wanted: a guess from which to begin, never a bound.
    """

    tokens: tuple[str, ...]
    wanted: int
    reach: int
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


def matches(history: History, match: Match, where: Clause) -> list[list[Row]]:
    """Rows in order, from the stored tables and from the live ones if there are any.

    Each list holds as many rows, or rows of as many sessions, as are wanted; or all there are.
    """
    # Inside one session there are few rows to count, and only the phrase form can stay within their ids.
    one = len(match.tokens) == 1 and match.within is None
    low, high = match.within or (-1, 1 << 62)
    rank, time, session, seq, row = match.after or BEGINNING
    count = -(rank >> 32)
    # Matches are looked at once when counts say nothing: all behind an entry with one occurrence have one.
    sql = SQL.ordered.replace("{kept}", "NOT MATERIALIZED" if count == 1 else "MATERIALIZED")
    sql = visible(history, sql.replace("{phrase}", SQL.word if one else SQL.phrase), where)
    args: dict[str, Any] = {
        "match": match.tokens[0] if one else in_columns(COLUMNS, quoted(" ".join(match.tokens))),
        "low": low, "high": high, "count": count, "fresh": match.sessions,
        "rank": rank, "time": time, "id": session, "seq": seq, "row": row, **where.args,
    }  # fmt: skip
    return [_enough(history, text, args, match) for text in ([sql, live(sql)] if history.live else [sql])]


def _enough(history: History, sql: str, args: dict[str, Any], match: Match) -> list[Row]:
    """The first rows: those that rank highest, then of more that do, and all if that was not enough.

    What conditions leave out, and what is given already, may be among those that rank highest.
    """
    factor = EVENTS_PER_SESSION if match.sessions else 1
    while True:
        most = match.wanted * factor
        bounds = {"every": False, "all": args["count"] == 1, "most": most, "reach": match.reach * factor}
        *found, (total, *_) = rows(history.db, sql, {**args, **bounds})
        items = len({row[4] for row in found}) if match.sessions else len(found)
        if items >= match.wanted or total <= most:
            return [Row(*row) for row in found]
        if factor > WIDER or total <= most * WIDER or items * WIDER < match.wanted:
            break
        factor *= WIDER
    bounds = {"every": True, "all": True, "most": -1 if match.sessions else match.wanted, "reach": 0}
    *found, _ = rows(history.db, sql, {**args, **bounds})
    return [Row(*row) for row in found]


def id_range(history: History, session: int) -> Range:
    """The lowest and highest row id of a session's entries."""
    sql = live(SQL.id_range) if session < 0 else SQL.id_range
    low, high = rows(history.db, sql, (session,))[0]
    return (low or 0, high or 0)
