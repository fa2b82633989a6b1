"""Which large tool results are kept: where each came from, and which object holds its bytes.

Neighbours: `store.objects` keeps the bytes, `engine.artifacts` makes and shows them.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from backstory.records.artifact import Artifact
from backstory.records.base import Record
from backstory.store.history import History
from backstory.store.statements import load, past, split

SQL = load("artifacts")
LEAST_CHARS = 1_000


class ResultOrigin(Record, frozen=True, gc=False):
    """An entry with results: its session by key and by name, the calls that it answers, and the hash of its record."""

    session: int
    name: str
    seq: int
    entry_id: str | None
    tool: str | None
    calls: tuple[str, ...]
    hash: bytes


def note(history: History, session: int, made: Iterable[Artifact]) -> None:
    """Remembers artifacts of one session, whose key in this database is given."""
    rows = map(msgspec.structs.astuple, made)
    with history.write("note artifacts"):
        history.db.executemany(SQL.insert, [(id_, session, *rest) for id_, _, _, *rest in rows])


def known(history: History, session: int) -> dict[str, str]:
    """The artifacts of a session: what names their bytes, by id."""
    return dict(history.rows(SQL.known, (session,)))


def get(history: History, id_: str) -> Artifact | None:
    """The artifact of an id, None when there is none."""
    return next(map(_artifact, history.rows(SQL.get, (id_,))), None)


def begun(history: History, name: str, most: int) -> list[str]:
    """The first ids of artifacts that begin so, in order."""
    return [id_ for (id_,) in history.rows(SQL.begun, {"name": name, "after": past(name), "most": most})]


def everything(history: History) -> list[Artifact]:
    """All artifacts, oldest first."""
    return [_artifact(row) for row in history.rows(SQL.all)]


def origins(history: History) -> Iterator[ResultOrigin]:
    """The entries that may hold a result large enough to become an artifact."""
    for key, name, seq, entry_id, tool, calls, digest in history.rows(SQL.origins, {"least": LEAST_CHARS}):
        yield ResultOrigin(key, name, seq, entry_id, tool, split(calls), digest)


def _artifact(row: Sequence[Any]) -> Artifact:
    id_, source, session, seq, call, tool, digest, size, tokens, failed, created = row
    return Artifact(id_, source, session, seq, call, tool, digest, size, tokens, bool(failed), created)
