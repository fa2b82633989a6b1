"""Opens our SQLite files: refuse before touching, owner-only modes, pragmas, and one map from driver errors to ours.

The only package that may import the driver is `store`. A connection belongs to one thread; `History.interrupt` alone
may be called by another.
"""

import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import apsw

from backstory.config.paths import make_folder
from backstory.errors import (
    BackstoryError,
    CancelledError,
    CorruptDatabaseError,
    ForeignDatabaseError,
    FullDiskError,
    IndexFailedError,
    InvalidTextError,
    LockedDatabaseError,
    NewerDatabaseError,
    ReadOnlyDatabaseError,
)
from backstory.store.folder import size
from backstory.store.transaction import patiently

CODES: Mapping[type[apsw.Error], type[BackstoryError]] = {
    apsw.CorruptError: CorruptDatabaseError,
    apsw.NotADBError: CorruptDatabaseError,
    apsw.ReadOnlyError: ReadOnlyDatabaseError,
    apsw.CantOpenError: ReadOnlyDatabaseError,
    apsw.PermissionsError: ReadOnlyDatabaseError,
    apsw.FullError: FullDiskError,
    apsw.InterruptError: CancelledError,
}

# The size of pages holds for a file that is still empty; see docs/decisions/0093-pages-of-eight-kilobytes.md.
CREATION = "PRAGMA page_size=8192; PRAGMA journal_mode=WAL"
PRAGMAS = (
    "PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; PRAGMA temp_store=MEMORY;"
    "PRAGMA cache_size=-16384; PRAGMA wal_autocheckpoint=4000"
)

# What SQLite's smallest index of a write-ahead log needs beside a database, in bytes.
BESIDE = 32_768


@contextmanager
def mapped(path: str) -> Iterator[None]:
    """Turns driver errors into ours; who wants to wait for a lock does so inside (`transaction.patiently`).

    Raises:
        LockedDatabaseError, FullDiskError, IndexFailedError: and those of `CODES`, in place of what the driver raised.
        InvalidTextError: a value cannot be written as UTF-8.
    """
    try:
        yield
    except (apsw.BusyError, apsw.LockedError):
        raise LockedDatabaseError("use the database", 1, 0) from None
    except UnicodeEncodeError as error:
        raise InvalidTextError from error
    except apsw.IOError as error:
        if getattr(error, "extendedresult", 0) in {apsw.SQLITE_IOERR_WRITE, apsw.SQLITE_IOERR_SHMSIZE}:
            raise FullDiskError(f"{path}: no space left while writing") from error
        raise IndexFailedError(f"{path}: {error}") from error
    except apsw.Error as error:
        ours = CODES.get(type(error), IndexFailedError)
        raise ours(f"{path}: {error}") from error


def open_connection(path: str, *, read_only: bool = False) -> apsw.Connection:
    """A connection with our pragmas; new folders 0700 and new files 0600, existing modes kept.

    A file to be read only, in a folder that cannot be written, is read as one that nobody changes: SQLite could not
    put the files beside it through which readers and writers agree.
    """
    if path != ":memory:" and not read_only:
        _create(path)
    flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
    name = path
    if read_only and (_frozen(path) or _crowded(path)):
        name, flags = f"file:{_quoted(path)}?immutable=1", flags | apsw.SQLITE_OPEN_URI
    with mapped(path):
        connection = apsw.Connection(name, flags=flags)
        connection.set_busy_timeout(0)
    return connection


def _quoted(path: str) -> str:
    """A path as it stands in a URI."""
    return path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _crowded(path: str) -> bool:
    """Whether the disk has no room for the files beside a database; then nobody else has it open either."""
    if _waiting(path) or size(f"{path}-shm") >= BESIDE:
        return False
    return not roomy(os.path.dirname(path) or ".")


def roomy(folder: str) -> bool:
    """Whether a disk has room for the files beside a database, or cannot be asked."""
    try:
        room = os.statvfs(folder)
    except OSError:
        return True
    return room.f_bavail * room.f_frsize >= BESIDE


def _frozen(path: str) -> bool:
    """Whether nothing can be written beside a file, and nothing that was written waits there to be merged."""
    return not os.access(os.path.dirname(path) or ".", os.W_OK) and not _waiting(path)


def _waiting(path: str) -> bool:
    return size(f"{path}-wal") > 0


def _create(path: str) -> None:
    try:
        make_folder(os.path.dirname(path))
        if not os.path.exists(path):
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise FullDiskError(f"{path}: no space left") from error
        raise ReadOnlyDatabaseError(f"{path}: {error.strerror}") from error


def identify(connection: apsw.Connection, path: str, application_id: int, newest: int) -> int:
    """The schema version of a database of ours, 0 for an empty one; refuses foreign and newer files unread.

    Raises:
        ForeignDatabaseError: another application id, or tables without one.
        NewerDatabaseError: a schema version above `newest`.
    """
    with mapped(path):
        found, version, tables = patiently(lambda: _identity(connection), "open the database")
    if found == 0 and version == 0 and tables == 0:
        return 0
    if found != application_id:
        raise ForeignDatabaseError(f"{path} is a database of another program (application id {found:#x})")
    if version > newest:
        raise NewerDatabaseError(f"{path} has schema {version}, this Backstory knows up to {newest}")
    return version


@contextmanager
def moment(connection: apsw.Connection) -> Iterator[None]:
    """What is read inside is of one moment, whatever others make of the tables; for waiting inside see `patiently`."""
    connection.execute("SAVEPOINT moment")
    try:
        yield
    finally:
        # On a full disk nothing is left to release, and what SQLite says of that must not hide why.
        with suppress(apsw.SQLError):
            connection.execute("RELEASE moment")


def _identity(connection: apsw.Connection) -> tuple[int, int, int]:
    """Application id, schema version and number of tables, all of one moment."""
    with moment(connection):
        tables: Any = connection.execute("SELECT count(*) FROM sqlite_schema").fetchall()[0][0]
        return _pragma(connection, "application_id"), _pragma(connection, "user_version"), int(tables)


def _pragma(connection: apsw.Connection, name: str) -> int:
    value: Any = connection.execute(f"PRAGMA {name}").fetchall()[0][0]
    return int(value)


def tune(connection: apsw.Connection, path: str, *, read_only: bool = False) -> None:
    """Sets the pragmas every connection runs with, after the file has been identified as ours."""
    with mapped(path):
        if path != ":memory:" and not read_only and patiently(lambda: _mode(connection), "open the database") != "wal":
            patiently(lambda: connection.execute(CREATION).fetchall(), "open the database")
        # Otherwise SQLite plans a statement anew whenever its LIMIT is bound, which costs more than most answers.
        connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
        patiently(lambda: connection.execute(PRAGMAS).fetchall(), "open the database")


def _mode(connection: apsw.Connection) -> str:
    return str(connection.execute("PRAGMA journal_mode").fetchall()[0][0])


def rows(connection: apsw.Connection, sql: str, args: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
    """All rows of one statement."""
    return connection.execute(sql, args).fetchall()


__all__ = ["identify", "mapped", "moment", "open_connection", "roomy", "rows", "tune"]
