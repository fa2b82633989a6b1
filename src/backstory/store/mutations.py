"""Keeps the mutation records of logs and ledger with what ties them together, and the state of the logs they come from.

Rows are copies of canonical records, brought up to date by `engine.memory.sync`; what they fold to is in
`store.memory`. The ledger counts as the source 0.
"""

from collections.abc import Iterable, Sequence

import msgspec

from backstory.records.base import Record
from backstory.records.memory import Fold, MemorySource, Mutation, Refusal
from backstory.store.history import History
from backstory.store.statements import array, load

SQL = load("mutations")
LEDGER = 0


class Unread(Record, frozen=True):
    """A mutation record that the index knows and that was not taken over yet, by its place in a log."""

    source: int
    path: str
    session: str
    seq: int
    entry_id: str | None
    parent_id: str | None
    time: int | None
    type: str
    offset: int
    length: int
    hash: bytes


class MutationLog(Record, frozen=True):
    """A log with mutation records; `folder` is the working folder, or the project once that is resolved."""

    key: int
    session: str
    path: str
    folder: str | None
    missing: bool
    error: str | None = None


class LedgerMark(Record, frozen=True):
    """How far the ledger was read: bytes, a hash of the last of them, and mutations so far."""

    offset: int = 0
    tail: bytes = b""
    mutations: int = 0


class New(Record, frozen=True):
    """A mutation record to keep: its source and hash, what it is tied by, and why it does not count if it does not."""

    mutation: Mutation
    source: int
    hash: bytes
    ties: frozenset[str] = frozenset()
    refusal: str | None = None


def unread(history: History) -> list[Unread]:
    """Records that were not taken over yet, by file and place."""
    return [Unread(*row) for row in history.rows(SQL.unread)]


def gone(history: History) -> list[int]:
    """Rows whose record is not in the index any more."""
    return [id_ for (id_,) in history.rows(SQL.gone)]


def indexed_sources(history: History) -> dict[int, MutationLog]:
    """Logs with mutation records as the index knows them now."""
    return {
        key: MutationLog(key, id_, path, cwd, bool(away)) for key, id_, path, cwd, away in history.rows(SQL.sources)
    }


def known_sources(history: History) -> dict[int, MutationLog]:
    """The same logs as they were when their records were last looked at."""
    rows = history.rows(SQL.known_sources)
    return {key: MutationLog(key, id_, path, project, bool(away), why) for key, id_, path, project, away, why in rows}


def put_source(history: History, source: MutationLog) -> None:
    """Store what is known of a log now, and let its records follow into another project."""
    history.db.execute(
        SQL.put_source, (source.key, source.session, source.path, source.folder, source.missing, source.error)
    )
    history.db.execute(SQL.move, (source.folder, source.key))


def drop_source(history: History, key: int) -> None:
    """Forget a log that holds no record any more."""
    history.db.execute(SQL.drop_source, (key,))


def listed(history: History, project: str, most: int) -> list[MemorySource]:
    """The logs of a project with mutation records, the latest named first; those after the first `most` are beyond."""
    found: list[MemorySource] = []
    for id_, path, missing, error, records, malformed, excluded, reason, count, shared in history.rows(
        SQL.listed, {"project": project}
    ):
        beyond = "beyond" if len(found) >= most else "ready"
        status = "excluded" if excluded else "missing" if missing else "corrupt" if error else beyond
        found.append(MemorySource(id_, path, status, records, count, shared, malformed, error, reason))
    return found


def exclude(history: History, project: str, session: str, reason: str | None) -> None:
    """Let a session stop counting for a project."""
    history.db.execute(SQL.exclude, (project, session, reason))


def include(history: History, project: str, session: str) -> None:
    """Let an excluded session count again."""
    history.db.execute(SQL.include, (project, session))


def excluded(history: History) -> list[tuple[str, str, str | None]]:
    """(project, session, reason) of everything excluded."""
    return [(project, session, reason) for project, session, reason in history.rows(SQL.excluded)]


def of_source(history: History, key: int) -> list[int]:
    """Rows of a log, or of the ledger."""
    return [id_ for (id_,) in history.rows(SQL.ids_of_source, (key,))]


def of_session(history: History, project: str, session: str) -> list[int]:
    """Rows of a session in a project, whatever file they stand in."""
    return [id_ for (id_,) in history.rows(SQL.ids_of_session, (session, project))]


def add(history: History, new: Iterable[New]) -> None:
    """Keep records."""
    for one in new:
        it = one.mutation
        payload = msgspec.json.encode(it.payload).decode() if one.refusal is None else "null"
        history.db.execute(
            SQL.insert,
            (one.source, it.order, one.hash, it.type, it.session, it.entry, it.time, it.parent, it.project, payload,
             one.refusal),
        )  # fmt: skip
        id_ = history.db.last_insert_rowid()
        history.db.executemany(SQL.tie, [(tie, id_) for tie in sorted(one.ties)])


def remove(history: History, ids: Sequence[int]) -> None:
    """Drop rows, and with them their ties."""
    if ids:
        history.db.execute(SQL.delete, (array(ids),))


def ties(history: History, ids: Sequence[int]) -> set[str]:
    """What rows are tied by."""
    return {tie for (tie,) in history.rows(SQL.ties_of, (array(ids),))}


def reach(history: History, some: Iterable[str]) -> set[str]:
    """All ties that these lead to, directly or through records."""
    return {tie for (tie,) in history.rows(SQL.reach, {"ties": array(some)})}


def tied(history: History, some: Iterable[str]) -> dict[int, Mutation]:
    """The records that these ties lead to, by row."""
    found = {}
    for id_, type_, session, entry, seq, payload, time, parent, project, path, ready in history.rows(
        SQL.tied, {"ties": array(some)}
    ):
        found[id_] = Mutation(
            type=type_, session=session, entry=entry, order=seq, payload=msgspec.json.decode(payload), time=time,
            parent=parent, project=project, file=path, ready=bool(ready),
        )  # fmt: skip
    return found


def refuse(history: History, rows: dict[int, Mutation], fold: Fold) -> None:
    """Store why records among these did not count, and that the others did."""
    why = {one.mutation: one.reason for one in fold.refused}
    history.db.executemany(SQL.refuse, [(why.get(mutation.key), id_) for id_, mutation in rows.items()])


def refused(history: History, session: str, project: str | None) -> tuple[Refusal, ...]:
    """What did not count of a session and a project."""
    rows = history.rows(SQL.refused, {"session": session, "project": project})
    return tuple(Refusal(key, why) for key, why in rows)


def reached(history: History) -> LedgerMark:
    """How far the ledger was read."""
    [row] = history.rows(SQL.reached)
    return LedgerMark(*row)


def set_reached(history: History, now: LedgerMark) -> None:
    """Store how far the ledger was read."""
    history.db.execute(SQL.set_reached, (now.offset, now.tail, now.mutations))
