"""The rows of hits to show, and the order in time of entries and of sessions.

Row ids say only when something was indexed, so what is of one time goes by source, session and number.
"""

from collections.abc import Iterable, Sequence

from backstory.records.base import Record
from backstory.store.history import History
from backstory.store.statements import array, load

SQL = load("hits")
LONGEST = 200_000


class HitRow(Record, frozen=True):
    """What is shown of a hit; `text` is cut at `LONGEST` code points, `size` is its whole length."""

    id: int
    source: str
    session_id: str
    path: str
    title: str | None
    cwd: str | None
    missing: int
    entry_id: str | None
    seq: int
    role: str | None
    kind: str
    time: int | None
    surface: str
    tool: str | None
    text: str | None
    session: int
    size: int


def hits(history: History, ids: Sequence[int]) -> dict[int, HitRow]:
    """The rows to show, by id."""
    rows = history.everywhere(SQL.hits, {"ids": array(ids), "longest": LONGEST})
    return {row[0]: HitRow(*row) for row in rows}


def in_time(history: History, rows: Sequence[tuple[int, int, int, int]]) -> list[tuple[int, int]]:
    """(id, session) of (id, session, time, seq), later ones first; of one time by source, session and number."""
    if len({time for _, _, time, _ in rows}) == len(rows):
        return [row[:2] for row in sorted(rows, key=lambda row: -row[2])]
    names = {key: name[1:] for key, name in session_places(history, {row[1] for row in rows}).items()}
    return [row[:2] for row in sorted(rows, key=lambda row: (-row[2], names[row[1]], row[3]))]


def entry_places(history: History, ids: Sequence[int]) -> dict[int, int]:
    """The place of each of some entries in the order of time."""
    rows = history.everywhere(SQL.entry_places, {"ids": array(ids)})
    return {id_: at for at, (id_, _) in enumerate(in_time(history, rows))}


def session_places(history: History, keys: Iterable[int]) -> dict[int, tuple[int, str, str, str]]:
    """What orders sessions: the last used first, then source, id and path."""
    rows = history.everywhere(SQL.session_places, {"keys": array(keys)})
    return {key: (-updated, source, id_, path) for key, updated, source, id_, path in rows}
