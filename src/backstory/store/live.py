"""The live overlay of one connection: sessions that a running host knows better than the disk does, in TEMP tables.

Each stored table has a live twin with the same columns and tokenizers, so `statements.live` turns any search of the
stored tables into the same search of the live ones. Live rows never reach the file and vanish with the connection. What
is live is decided by `index.live`; this module only brings the tables of a connection up to its state.
"""

from collections.abc import Callable, Sequence

import msgspec

from backstory.records.base import Record
from backstory.store import passages
from backstory.store.connection import rows
from backstory.store.entries import PreparedEntry, row
from backstory.store.history import History
from backstory.store.statements import live, load

SQL = load("live")
ENTRIES = load("entries")
TABLES = (("live_entries", "id"), ("live_texts", "id"), ("live_literal", "rowid"), ("live_words", "rowid"))


class Mark(Record, frozen=True):
    """How far a connection has followed one live session: its rows and its surface changes."""

    version: int = 0
    rows: int = 0
    changes: int = 0


class LiveChange(msgspec.Struct, frozen=True):
    """What a connection lacks of one live session: its header row, new rows with their ids, changed surfaces."""

    key: int
    header: tuple[object, ...]
    rows: Sequence[tuple[int, PreparedEntry]]
    surfaces: Sequence[tuple[int, str]]
    reached: Mark


class Delta(msgspec.Struct, frozen=True):
    """Everything a connection lacks."""

    version: int
    changes: Sequence[LiveChange]
    gone: Sequence[int]


class Overlay:
    """The live tables of a connection and the places it does not look at."""

    def __init__(self, history: History, prepare: Callable[[str], bytes]) -> None:
        self.history = history
        self._prepare = prepare
        self._unmounted: frozenset[tuple[str, str]] = frozenset()
        self._stale: dict[int, int] = {}
        self.version = 0
        self.seen: dict[int, Mark] = {}
        with history.scratch():
            history.db.execute(SQL.create)

    def apply(self, delta: Delta) -> None:
        """Brings the live tables up to date; on any error they stay as they were."""
        if delta.version == self.version:
            return
        seen = dict(self.seen)
        with self.history.scratch():
            for key in delta.gone:
                self._drop(key)
                seen.pop(key, None)
            for change in delta.changes:
                self._change(change)
                seen[change.key] = change.reached
        self.seen, self.version = seen, delta.version

    def converse(self) -> None:
        """Brings the conversation pieces up to date, which only ranking reads."""
        with self.history.scratch():
            for key, seq in self._stale.items():
                if key in self.seen:
                    passages.refresh(self.history, key, seq, self._prepare, home=live)
        self._stale = {}

    def unmount(self, places: frozenset[tuple[str, str]]) -> None:
        """Looks away from some (source, path) places, and at all others."""
        if places != self._unmounted:
            with self.history.scratch():
                self.history.db.execute("DELETE FROM unmounted")
                self.history.db.executemany("INSERT INTO unmounted VALUES (?, ?)", sorted(places))
            self._unmounted = places
        self.history.hiding = bool(self._unmounted or self.seen)
        self.history.live = bool(self.seen)
        self.history.away = bool(self._unmounted)

    def conflicts(self) -> list[tuple[str, str]]:
        """(source, id) of live sessions that contradict their stored log."""
        return [(source, id_) for source, id_ in rows(self.history.db, SQL.conflict)] if self.seen else []

    def _change(self, change: LiveChange) -> None:
        db = self.history.db
        db.execute(SQL.put_session, (change.key, *change.header))
        changed = [(surface, change.key, seq) for seq, surface in change.surfaces]
        texts = [(id_, new) for id_, new in change.rows if new.text]
        db.executemany(live(ENTRIES.insert_entry), [row(id_, change.key, new) for id_, new in change.rows])
        db.executemany(live(ENTRIES.insert_text), [(id_, new.text) for id_, new in texts])
        db.executemany(live(ENTRIES.insert_literal), [(id_, new.said, new.result, new.parts) for id_, new in texts])
        db.executemany(live(ENTRIES.insert_words), [(id_, new.words) for id_, new in texts if new.words])
        db.executemany(live(ENTRIES.set_surface), changed)
        if change.rows:
            first = min(new.entry.seq for _, new in change.rows)
            self._stale[change.key] = min(first, self._stale.get(change.key, first))

    def _drop(self, key: int) -> None:
        db = self.history.db
        spans = db.execute(SQL.spans, (key,)).fetchall()
        ids = db.execute(SQL.ids, (key,)).fetchall()
        for table, column in TABLES:
            db.executemany(f"DELETE FROM {table} WHERE {column} = ?", ids)  # noqa: S608
        db.executemany(live(passages.SQL.delete_span), spans)
        db.executemany(live(passages.SQL.delete_text), spans)
        db.execute("DELETE FROM live_rows WHERE key = ?", (key,))
