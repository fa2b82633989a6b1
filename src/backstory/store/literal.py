"""Finds the rows of a phrase with the keys they are ordered by, without looking at any text.

One word is counted from the index's list of occurrences alone; a longer phrase by the `spans` function. Order and pages
are made in `retrieve.literal`.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from backstory.records.base import Record
from backstory.store.connection import rows
from backstory.store.history import History
from backstory.store.search import visible
from backstory.store.statements import live, load
from backstory.store.where import Clause
from backstory.text.match import in_columns, quoted

SQL = load("literal")
COLUMNS = ("said", "result")

Range = tuple[int, int]


class Match(Record, frozen=True):
    """The tokens of a phrase, how many rows are wanted at most, and the row ids to stay within."""

    tokens: tuple[str, ...]
    most: int
    within: Range | None


class Row(msgspec.Struct, frozen=True, gc=False):
    """A matching entry: how often it matches, its length in code points, and where it stands. No time counts as -1."""

    count: int
    size: int
    time: int
    session_id: str
    seq: int
    session: int
    id: int


def matches(history: History, match: Match, where: Clause) -> list[Iterator[Row]]:
    """Matching rows in order, one iterator for the stored tables and one for the live ones if there are any."""
    # Inside one session there are few rows to count, and only the phrase form can stay within their ids.
    one = len(match.tokens) == 1 and match.within is None
    sql = visible(history, SQL.word if one else SQL.phrase, where)
    low, high = match.within or (-1, 1 << 62)
    args: dict[str, Any] = {
        "match": match.tokens[0] if one else in_columns(COLUMNS, quoted(" ".join(match.tokens))),
        "low": low,
        "high": high,
        "most": match.most,
        **where.args,
    }
    some = bool(where.sql) or history.hiding
    return [_strongest(history, text, args, some=some) for text in ([sql, live(sql)] if history.live else [sql])]


def _strongest(history: History, sql: str, args: dict[str, Any], *, some: bool) -> Iterator[Row]:
    """The first rows; only of those that match most often are the other keys looked up.

    When conditions admit only `some` rows, these may be too few: then all matches are looked up.
    """
    found = rows(history.db, sql, {**args, "every": False})
    if some and len(found) < args["most"]:
        found = rows(history.db, sql, {**args, "every": True})
    return (Row(*row) for row in found)


def id_range(history: History, session: int) -> Range:
    """The lowest and highest row id of a session's entries."""
    sql = live(SQL.id_range) if session < 0 else SQL.id_range
    low, high = rows(history.db, sql, (session,))[0]
    return (low or 0, high or 0)
