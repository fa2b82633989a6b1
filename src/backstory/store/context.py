"""Reads what a plan needs of one session: places of raw records, the text said so far, and labels."""

from collections.abc import Sequence

from backstory.records.base import Record
from backstory.store.history import History
from backstory.store.statements import array, load

SQL = load("context")


class Place(Record, frozen=True):
    """One entry and where its raw record stands; `chars` is what a model call would carry for it."""

    seq: int
    entry_id: str | None
    kind: str
    role: str | None
    chars: int
    offset: int
    length: int
    hash: bytes


class Text(Record, frozen=True):
    """One entry with its searchable text."""

    seq: int
    entry_id: str | None
    kind: str
    time: int | None
    tool: str | None
    paths: tuple[str, ...]
    call_ids: tuple[str, ...]
    text: str


def places(history: History, session: int, seqs: Sequence[int]) -> dict[int, Place]:
    """Places by seq."""
    rows = history.rows(SQL.places, {"session": session, "seqs": array(seqs)})
    return {row[0]: Place(*row) for row in rows}


def said(history: History, session: int, first: int, last: int) -> list[Text]:
    """What was said and done between two sequence numbers, both included."""
    rows = history.rows(SQL.said, {"session": session, "from": first, "to": last})
    return [
        Text(seq, entry_id, kind, time, tool, _split(paths), _split(calls), text)
        for seq, entry_id, kind, time, tool, paths, calls, text in rows
    ]


def models(history: History, session: int, after: int) -> list[tuple[int, str]]:
    """(seq, model) of the newest changes of the model behind an entry, the last first."""
    return [(seq, text) for seq, text in history.rows(SQL.models, {"session": session, "after": after})]


def labels(history: History, session: int) -> list[tuple[int, str | None, str]]:
    """(seq, target, text) of the labels of a session."""
    rows = history.rows(SQL.labels, {"session": session})
    return [(seq, target, text) for seq, target, text in rows]


def _split(joined: str | None) -> tuple[str, ...]:
    return tuple(joined.split("\n")) if joined else ()
