"""One project's database, opened, closed and deleted: a connection, and what is asked of it in a transaction.

Neighbours: the modules beside this one, which say what is in it.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any, Self

import apsw

from backstory.errors import ReadOnlyDatabaseError
from backstory.store.connection import mapped, open_connection, tune
from backstory.store.folder import moving, opening, unmoved, which
from backstory.store.header import refuse
from backstory.store.migrate import migrate, migrations
from backstory.store.transaction import write

APPLICATION_ID = 0x42535050
DATABASE = "project"
# Mapped pages count as memory of ours; more than this does not make searches faster.
_MAPPED_BYTES = 32 * 1024 * 1024


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
