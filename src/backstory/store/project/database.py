"""One project's database: files with their state, snippets, declarations, Git state, and the lease of its indexer.

Each file is replaced as a whole inside one transaction, so that rows of two versions never stand side by side.
Neighbours: `index.projects` writes through here, `store.project.search` reads for ranking.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Self

import apsw
import msgspec

from backstory.errors import ReadOnlyDatabaseError
from backstory.records.project import Listed, Revision
from backstory.store.connection import mapped, open_connection, tune
from backstory.store.folder import moving, opening, unmoved, which
from backstory.store.header import refuse
from backstory.store.migrate import migrate, migrations
from backstory.store.project.rows import FileContent, FileRow, IndexState, KnownFile
from backstory.store.statements import load
from backstory.store.transaction import write

APPLICATION_ID = 0x42535050
DATABASE = "project"
# Mapped pages count as memory of ours; more than this does not make searches faster.
_MAPPED_BYTES = 32 * 1024 * 1024
# Once four segments of a size have come about. Sixteen pages take a millisecond.
_MERGED_PAGES = 16
_HASH_BYTES = {True: 16 * 1024 * 1024, False: 1024 * 1024}

SQL = load("project/database")


def delete(path: str) -> None:
    """Deletes a database with what SQLite keeps beside it, while nobody opens or closes it; raises OSError."""
    with moving(os.path.dirname(os.path.dirname(path))):
        for end in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.unlink(path + end)


def _opened(path: str, *, read_only: bool) -> apsw.Connection:
    refuse(path, APPLICATION_ID, migrations(DATABASE)[-1].version)
    connection = open_connection(path, read_only=read_only)
    try:
        if not read_only:
            tune(connection, path)
        migrate(connection, path, DATABASE, APPLICATION_ID)
        if read_only:
            tune(connection, path, read_only=True)
        connection.execute(f"PRAGMA mmap_size={_MAPPED_BYTES}")
    except BaseException:
        connection.close()
        raise
    return connection


class ProjectStore:
    """A connection to one project's database; use as a context manager."""

    def __init__(self, path: str, *, read_only: bool = False) -> None:
        self.path = path
        self.collector: object = None
        # All indexes of projects lie in one folder, which is moved with the one that it lies in.
        self._place = os.path.dirname(path)
        with opening(self._place, read_only=read_only):
            self.connection = _opened(path, read_only=read_only)
            self._file = which(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def stands(self) -> bool:
        """Whether its file still lies where it was opened."""
        return which(self.path) == self._file

    def close(self) -> None:
        """Closes the connection; the store is of no use afterwards."""
        with unmoved(self._place):
            self.connection.close()

    @contextmanager
    def writing(self, operation: str) -> Iterator[None]:
        """One write transaction; driver errors leave as ours."""
        with mapped(self.path), write(self.connection, operation):
            yield

    def rows(self, sql: str, args: Any = ()) -> list[tuple[Any, ...]]:
        """All rows of one statement; driver errors leave as ours."""
        try:
            return self.connection.execute(sql, args).fetchall()
        except (apsw.Error, UnicodeEncodeError):
            with mapped(self.path):
                raise

    def version(self) -> tuple[int, int]:
        """What differs once anything was written here, by this connection or another."""
        return self.rows("PRAGMA data_version")[0][0], self.connection.total_changes()

    def state(self) -> IndexState:
        """The state of the last synchronisation; an empty one before the first."""
        found = self.rows(SQL.state)
        if not found:
            return IndexState(Revision())
        git_root, branch, head, dirty, changed, indexed_at, history_head, number, listed, rules = found[0]
        revision = Revision(git_root, branch, head, bool(dirty), tuple(msgspec.json.decode(changed)), indexed_at)
        known = msgspec.json.decode(listed, type=Listed) if listed else None
        return IndexState(revision, history_head, number, known, rules)

    def put_state(self, root: str, revision: Revision, history_head: str | None) -> None:
        """Replaces the state and counts the change."""
        fields = msgspec.structs.asdict(revision) | {"root": root, "history_head": history_head}
        fields["dirty"] = int(revision.dirty)
        fields["changed"] = msgspec.json.encode(revision.changed).decode()
        self.connection.execute(SQL.put_state, fields)

    def put_listed(self, listed: Listed | None, rules: int | None = None) -> None:
        """Notes that the files are exactly those of a listing; None when that may no longer be so.

        With `rules` that all of them were read by these.
        """
        text = msgspec.json.encode(listed).decode() if listed else None
        self.connection.execute("UPDATE state SET listed = ?, rules = coalesce(?, rules)", (text, rules))

    def stats(self) -> Iterator[tuple[str, int, int, int, str]]:
        """Path, size, times in nanoseconds and status of every file the index has a row for."""
        with mapped(self.path):
            yield from self.connection.execute(SQL.stats)

    def known(self) -> dict[str, KnownFile]:
        """Every file the index has a row for, by path."""
        with mapped(self.path):
            return {row.path: row for row in map(KnownFile._make, self.connection.execute(SQL.known))}

    def known_file(self, path: str) -> KnownFile | None:
        """The row of one path."""
        found = self.rows(SQL.known_one, (path,))
        return KnownFile(*found[0]) if found else None

    def bulk(self, *, on: bool) -> None:
        """Larger merges while many files are written; afterwards one segment, which halves the time of a search."""
        execute = self.connection.execute
        with self.writing("tune the project index"):
            execute("INSERT INTO file_fts (file_fts, rank) VALUES ('hashsize', ?)", (_HASH_BYTES[on],))
            if not on:
                execute("INSERT INTO file_fts (file_fts) VALUES ('optimize')")
                execute("INSERT INTO path_fts (path_fts) VALUES ('optimize')")

    def merge(self) -> None:
        """Joins small segments that single writes left; every search has to look into each of them."""
        self.connection.execute("INSERT INTO file_fts (file_fts, rank) VALUES ('merge', ?)", (_MERGED_PAGES,))
        self.connection.execute("INSERT INTO path_fts (path_fts, rank) VALUES ('merge', ?)", (_MERGED_PAGES,))

    def replace(self, row: FileRow, content: FileContent | None) -> None:
        """Stores one version of a file in place of whatever was known of it."""
        execute = self.connection.execute
        fields = msgspec.structs.asdict(row)
        fields |= {"name": row.path.rpartition("/")[2], "tracked": int(row.tracked), "modified": int(row.modified)}
        existing = self.known_file(row.path)
        if existing is not None:
            self._clear(existing.id)
        file_id = execute(SQL.put_file, fields).fetchall()[0][0]
        if content is None:
            return
        ranges = msgspec.json.encode(content.chunks).decode()
        execute(SQL.put_snippet, (file_id, len(content.chunks), ranges))
        self.connection.executemany(
            SQL.put_symbol,
            ((file_id, s.name, s.qualified, s.kind, s.start, s.end) for s in content.symbols),
        )
        execute("INSERT INTO file_fts (rowid, body) VALUES (?, ?)", (file_id, content.body))
        execute("INSERT INTO path_fts (rowid, path) VALUES (?, ?)", (file_id, content.path_words))

    def touch(self, path: str, stat: tuple[int, int, int], *, tracked: bool, modified: bool) -> None:
        """Notes that a file of the same content has another size, mtime or ctime, or another standing in Git."""
        size, mtime, ctime = stat
        fields = {"path": path, "size": size, "mtime": mtime, "ctime": ctime}
        self.connection.execute(SQL.touch, fields | {"tracked": int(tracked), "modified": int(modified)})

    def mark_stale(self, paths: Iterable[str]) -> None:
        """Takes files out of every result until they are indexed again."""
        self.connection.executemany(
            "UPDATE files SET status = 'stale' WHERE path = ? AND status = 'current'", ((path,) for path in paths)
        )

    def remove(self, paths: Iterable[str]) -> int:
        """Forgets files altogether; the number of rows removed."""
        removed = 0
        for path in paths:
            known = self.known_file(path)
            if known is not None:
                self._clear(known.id)
                self.connection.execute("DELETE FROM files WHERE id = ?", (known.id,))
                removed += 1
        if removed:
            self.put_listed(None)
        return removed

    def clear(self) -> None:
        """Forgets every file, keeping the database."""
        self.connection.execute(
            "DELETE FROM symbols; DELETE FROM snippets; DELETE FROM files;"
            "INSERT INTO file_fts (file_fts) VALUES ('delete-all');"
            "INSERT INTO path_fts (path_fts) VALUES ('delete-all')"
        )
        self.put_listed(None)

    def counts(self) -> tuple[int, int, int, int]:
        """Numbers of current, stale, excluded and modified files."""
        current, stale, excluded, modified = self.rows(SQL.counts)[0]
        return current, stale, excluded, modified

    def sizes(self) -> tuple[int, int]:
        """Numbers of snippets and declarations."""
        snippets, symbols = self.rows(SQL.sizes)[0]
        return snippets, symbols

    def exclusions(self) -> dict[str, int]:
        """How many files were left out after they were looked at, by reason."""
        return dict(self.rows(SQL.exclusions))

    def files(self, prefix: str, limit: int) -> list[tuple[Any, ...]]:
        """Rows (path, language, size, hash, tracked, modified, status, reason) below a path prefix, in path order."""
        return self.rows(SQL.file_list, {"prefix": prefix, "limit": limit})

    def _clear(self, file_id: int) -> None:
        execute = self.connection.execute
        execute("DELETE FROM snippets WHERE file_id = ?", (file_id,))
        execute("DELETE FROM symbols WHERE file_id = ?", (file_id,))
        execute("DELETE FROM file_fts WHERE rowid = ?", (file_id,))
        execute("DELETE FROM path_fts WHERE rowid = ?", (file_id,))


def existing(path: str) -> ProjectStore | None:
    """A database that is there, opened; None where none is, or is any more: this makes none.

    Raises:
        DatabaseError: it cannot be used.
    """
    with unmoved(os.path.dirname(path)):
        return ProjectStore(path) if os.path.exists(path) else None


def readable(path: str) -> ProjectStore:
    """A database opened to be read; where its tables are not made yet, or are an earlier version's, that comes first.

    Whoever makes it may not be done: a file without tables lies there until then, and this waits.

    Raises:
        DatabaseError: it cannot be used, or has no tables and cannot be written.
    """
    try:
        return ProjectStore(path, read_only=True)
    except ReadOnlyDatabaseError:
        ProjectStore(path).close()
        return ProjectStore(path, read_only=True)
