"""Reads what a plan needs of one session: its structure and places, what was said, and labels."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from backstory.records.base import Record
from backstory.records.located import Located
from backstory.records.session import Facts
from backstory.store.history import History
from backstory.store.statements import array, load, split

SQL = load("context")


class EntryText(Record, frozen=True):
    """One entry with its searchable text."""

    seq: int
    entry_id: str | None
    kind: str
    time: int | None
    tool: str | None
    paths: tuple[str, ...]
    call_ids: tuple[str, ...]
    text: str


def entries(history: History, session: int, after: int = -1) -> list[Located]:
    """The entries of a session behind a sequence number."""
    return list(map(_located, history.rows(SQL.entries, {"session": session, "after": after})))


def entries_at(history: History, session: int, seqs: Sequence[int]) -> dict[int, Located]:
    """Some entries of a session by their sequence numbers."""
    rows = history.rows(SQL.entries_at, {"session": session, "seqs": array(seqs)})
    return {one.seq: one for one in map(_located, rows)}


def _located(row: Sequence[Any]) -> Located:
    seq, kind, visible, entry_id, parent_id, sidechain, op, target, calls, role, chars, size, offset, length, digest = (
        row
    )
    return Located(
        seq, kind, visible == 1, entry_id, parent_id, sidechain == 1, op, target,
        split(calls), role, chars, size, offset, length, digest,
    )  # fmt: skip


class Fingerprint(NamedTuple):
    """By what a change of entries shows: their number, the sum of their row ids, and offset and hash of the last.

    Where a record moved, those behind it moved as well.
    """

    number: int = 0
    ids: int = 0
    offset: int | None = None
    hash: bytes | None = None

    def then(self, more: "Fingerprint") -> "Fingerprint":
        """That of these and those behind them."""
        return Fingerprint(self.number + more.number, self.ids + more.ids, more.offset, more.hash)


class Indexed(Record, frozen=True):
    """What the index knows a session by: its key, what grows with every change, and the number of its last entry."""

    key: int = 0
    generation: int = 0
    last: int = -1


def indexed(history: History, source: str, id_: str, path: str) -> Indexed:
    """What the session with this id in a file is known by; of key 0 where it is not known."""
    rows = history.rows(SQL.indexed, {"source": source, "id": id_, "path": path})
    return next((Indexed(key, generation, -1 if last is None else last) for key, generation, last in rows), Indexed())


def fingerprint(history: History, session: int, last: int, after: int = -1) -> Fingerprint:
    """What changes when any entry up to a sequence number is written again, taken away or found elsewhere in its file.

    An entry that is written again gets another row id, unless it was the last of all. Only entries behind the number
    `after` count.
    """
    [found] = history.rows(SQL.fingerprint, {"session": session, "last": last, "after": after})
    return Fingerprint(*found)


def revision(history: History, session: int) -> tuple[tuple[int, int], Facts]:
    """What grows with every change of a session, and what is known of it."""
    [(generation, extraction, facts)] = history.rows(SQL.revision, {"session": session})
    return (generation, extraction), msgspec.json.decode(facts, type=Facts)


def said(history: History, session: int, seqs: Sequence[int]) -> list[EntryText]:
    """What was said and done in some entries."""
    rows = history.rows(SQL.said, {"session": session, "seqs": array(seqs)})
    return [
        EntryText(seq, entry_id, kind, time, tool, split(paths), split(calls), text)
        for seq, entry_id, kind, time, tool, paths, calls, text in rows
    ]


def models(history: History, session: int, after: int) -> list[tuple[int, str]]:
    """(seq, model) of the newest changes of the model behind an entry, the last first."""
    return [(seq, text) for seq, text in history.rows(SQL.models, {"session": session, "after": after})]


def labels(history: History, session: int) -> list[tuple[int, str | None, str]]:
    """(seq, target, text) of the labels of a session."""
    rows = history.rows(SQL.labels, {"session": session})
    return [(seq, target, text) for seq, target, text in rows]
