"""Session rows: what is known of each file, its checkpoint, its damage, and which files no source recognised."""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from backstory.records.base import Record
from backstory.records.checkpoint import Checkpoint, Stamp
from backstory.records.session import Facts, Malformed
from backstory.store.history import History
from backstory.store.statements import load

SQL = load("sessions")


class SeenFile(Record, frozen=True):
    """A file the index has seen; `source` is None when no source recognised it by the rules of `extraction`."""

    stamp: Stamp
    source: str | None = None
    extraction: int = 0
    missing: bool = False
    root: int = 0


class StoredSession(Record, frozen=True):
    """What reconciling one file starts from."""

    key: int
    source: str
    facts: Facts
    tip: str
    checkpoint: Checkpoint
    extraction: int
    entries: int
    malformed: int
    missing: bool
    updated: int | None


class Update(Record, frozen=True):
    """The session row after a read; `entries` None has them counted, and their latest time found, in the table."""

    key: int
    facts: Facts
    tip: str
    checkpoint: Checkpoint
    stamp: Stamp
    extraction: int
    malformed: int
    entries: int | None = None
    updated: int | None = None


def known_files(history: History) -> Mapping[str, SeenFile]:
    """Every file that is indexed or was found not to be a session, by path; read anew once something was written.

    Where something else now lies in the place of a missing session, it is that which is known.
    """
    known = history.known()
    files: Mapping[str, SeenFile] | None = known.get("files")
    if files is None:
        files = known["files"] = _known_files(history)
    return files


def _known_files(history: History) -> dict[str, SeenFile]:
    rows = history.rows(SQL.ignored)
    files = {path: SeenFile(Stamp(*stamp), extraction=extraction) for path, *stamp, extraction in rows}
    for path, source, size, mtime_ns, inode, extraction, missing, root in history.rows(SQL.stamps):
        if not (missing and path in files):
            files[path] = SeenFile(Stamp(size, mtime_ns, inode), source, extraction, bool(missing), root)
    return files


def by_path(history: History, path: str) -> StoredSession | None:
    """The session kept in a file."""
    for key, source, facts, tip, checkpoint, *rest in list(history.rows(SQL.by_path, (path,))):
        decoded = msgspec.json.decode(facts, type=Facts)
        reached = msgspec.msgpack.decode(checkpoint, type=Checkpoint)
        extraction, entries, malformed, missing, updated = rest
        return StoredSession(key, source, decoded, tip, reached, extraction, entries, malformed, bool(missing), updated)
    return None


def insert(history: History, source: str, root: int, path: str) -> int:
    """A new session row to be completed by `update`; gives its key."""
    history.db.execute("DELETE FROM ignored WHERE path = ?", (path,))
    history.db.execute(SQL.insert, (source, root, path))
    return history.db.last_insert_rowid()


def update(history: History, row: Update) -> None:
    """Stores what a read found out about a session."""
    facts = row.facts
    entries, updated = row.entries, row.updated
    if entries is None:
        [(entries, updated)] = history.rows(SQL.count_entries, (row.key,))
    values = {
        "key": row.key, "id": facts.id, "cwd": facts.cwd, "created": facts.created,
        "updated": updated or facts.created, "title": facts.title, "parent": facts.parent, "origin": facts.origin,
        "version": facts.version, "model": facts.models[-1] if facts.models else None, "entries": entries,
        "malformed": row.malformed, "extraction": row.extraction, "facts": msgspec.json.encode(facts).decode(),
        "tip": row.tip, "size": row.stamp.size, "mtime_ns": row.stamp.mtime_ns, "inode": row.stamp.inode,
        "checkpoint": msgspec.msgpack.encode(row.checkpoint),
    }  # fmt: skip
    history.db.execute(SQL.update, values)


def namesakes(history: History, source: str, id_: str) -> list[int]:
    """Keys of the sessions of this id, and of those that name it as their parent."""
    return [key for (key,) in history.rows(SQL.namesakes, {"source": source, "id": id_})]


def root(history: History, source: str, path: str) -> int:
    """The key of a place that sessions were found in."""
    for (id_,) in list(history.rows(SQL.root, (source, path))):
        return int(id_)
    history.db.execute(SQL.add_root, (source, path))
    return history.db.last_insert_rowid()


def places(history: History) -> list[tuple[int, str, str, str]]:
    """(key, path) of each session, with the source and the path of the place it was found in."""
    return list(history.rows(SQL.places))


def move(history: History, key: int, root: int) -> None:
    """Notes that a session lies in another place."""
    history.db.execute(SQL.move, (root, key))


def set_missing(history: History, paths: Iterable[str], *, missing: bool) -> None:
    """Marks sessions whose file vanished, or came back."""
    history.db.executemany(SQL.set_missing, [(missing, path, missing) for path in paths])


def ignore(history: History, path: str, stamp: Stamp, extraction: int) -> None:
    """Remembers a file that no source recognised, by the rules of a version."""
    history.db.execute(SQL.ignore, (path, stamp.size, stamp.mtime_ns, stamp.inode, extraction))


def ignored(history: History) -> list[str]:
    """The files that no source recognised, or whose sessions were forgotten, by path."""
    return sorted(path for path, *_ in history.rows(SQL.ignored))


def add_damage(history: History, key: int, damage: Sequence[Malformed]) -> None:
    """Stores the damaged records of a session."""
    rows = [(key, item.line, item.offset, item.length, item.reason, item.oversized) for item in damage]
    history.db.executemany(SQL.insert_damage, rows)


def clear_damage(history: History, key: int) -> None:
    """Forgets the damaged records of a session, before it is read again from the start."""
    history.db.execute(SQL.clear_damage, (key,))


def distrust(history: History, key: int) -> None:
    """Makes the next read of a session write every row again."""
    history.db.execute(SQL.distrust, (key,))
