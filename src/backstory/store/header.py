"""Looks at the first bytes of a database file before SQLite does, so that a refused file is never even opened by it.

Opening a file that is in write-ahead mode is enough for SQLite to change it when the connection closes. A file whose
first page still lies in its write-ahead log is told by that. The last word is `connection.identify`'s.
"""

import os

from backstory.config.paths import open_file
from backstory.errors import ForeignDatabaseError, NewerDatabaseError, ReadOnlyDatabaseError
from backstory.records.base import Record

MAGIC = b"SQLite format 3\0"
SIZE = 100
WAL_HEADER = 32
WAL_FRAME = 24


class NotADatabaseError(ForeignDatabaseError):
    """The file is no SQLite database, or its beginning is damaged; a rebuild puts a new one in its place."""

    advice = "move that file away, or let backstory rebuild put a new index in its place"


class Header(Record, frozen=True):
    """What the first 100 bytes say; `single` when the file has no second page."""

    application_id: int
    user_version: int
    single: bool


def header(path: str) -> Header | None:
    """The header of a file; None for a missing or empty one.

    Raises:
        NotADatabaseError: the file is not a SQLite database.
        ForeignDatabaseError: a folder, a pipe, or whatever else is no file.
        ReadOnlyDatabaseError: the file cannot be read.
    """
    try:
        with open_file(path) as file:
            raw = file.read(SIZE)
            size = os.fstat(file.fileno()).st_size
    except FileNotFoundError:
        return None
    except OSError as error:
        if os.path.exists(path) and not os.path.isfile(path):
            raise ForeignDatabaseError(f"{path} is not a regular file") from error
        raise ReadOnlyDatabaseError(f"{path}: {error.strerror}") from error
    if not raw:
        return None
    if len(raw) < SIZE or not raw.startswith(MAGIC):
        raise NotADatabaseError(f"{path} is not a database, or its beginning is damaged")
    if _single(raw, size) and not any(raw[68:72]):
        raw = _newest_first_page(f"{path}-wal") or raw
    return Header(int.from_bytes(raw[68:72]), int.from_bytes(raw[60:64]), single=_single(raw, size))


def _single(raw: bytes, size: int) -> bool:
    """Whether there was no second page when the first one was written.

    The size of the file tells only where the page does not: SQLite makes room for all pages before it folds them in.
    """
    if raw[24:28] == raw[92:96] and any(raw[28:32]):
        return int.from_bytes(raw[28:32]) == 1
    page = int.from_bytes(raw[16:18])
    return size <= (65_536 if page == 1 else page)


def _newest_first_page(wal: str) -> bytes | None:
    """The beginning of the last first page in a write-ahead log."""
    found = None
    try:
        with open_file(wal) as file:
            page = int.from_bytes(file.read(WAL_HEADER)[8:12])
            while len(frame := file.read(WAL_FRAME + SIZE)) == WAL_FRAME + SIZE:
                found = frame[WAL_FRAME:] if int.from_bytes(frame[:4]) == 1 else found
                file.seek(page - SIZE, os.SEEK_CUR)
    except OSError:
        return None
    return found


def refuse(path: str, application_id: int, newest: int) -> None:
    """Returns if the file is ours, or empty, as far as its first bytes tell.

    Raises:
        ForeignDatabaseError: another application id, or tables without one, or no database at all.
        NewerDatabaseError: a schema version above `newest`.
    """
    found = None if path == ":memory:" else header(path)
    if found is None or (found.application_id == 0 and found.single):
        return
    if found.application_id != application_id:
        raise ForeignDatabaseError(f"{path} belongs to another program (application id {found.application_id:#x})")
    if found.user_version > newest:
        raise NewerDatabaseError(f"{path} has schema {found.user_version}, this Backstory knows up to {newest}")
