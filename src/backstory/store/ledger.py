"""The append-only ledger of what a person told Backstory and no agent's log can hold: `canonical/ledger.jsonl`.

One JSON object per line, written in one call under a lock and synced before it counts. Records carry `type` (a name
with its domain first, as `project-trust`), `id`, `at` (milliseconds) and whatever their type says. A torn last line,
left by a crash, is skipped by readers and closed off by the next writer. Nothing is ever rewritten.
"""

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from backstory.errors import FullDiskError, ReadOnlyDatabaseError, UnreadableSourceError

LONGEST_LINE = 1024 * 1024
_MARKED = 4_096


def location(home: Path) -> Path:
    """The ledger below a data folder."""
    return home / "canonical" / "ledger.jsonl"


def append(home: Path, record: dict[str, Any]) -> None:
    """Adds one record; returns once it is on disk.

    Raises:
        ReadOnlyDatabaseError: the data folder cannot be written.
        FullDiskError: no room; the ledger is as it was, or ends in a line that readers skip.
    """
    with writing(home) as add:
        add(record)


@contextmanager
def writing(home: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    """The ledger for one writer alone: what is read in the body still holds when the function given is called.

    The function adds one record as `append` does, which must not be called in the body.

    Raises:
        ReadOnlyDatabaseError, FullDiskError: as `append`.
    """
    path = location(home)
    with _told(path):
        _folder(path.parent)
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        with _told(path):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield lambda record: _add(path, handle, record)
    finally:
        os.close(handle)


def _add(path: Path, handle: int, record: dict[str, Any]) -> None:
    line = msgspec.json.encode(record) + b"\n"
    with _told(path):
        if _torn(handle):
            line = b"\n" + line
        if os.write(handle, line) != len(line):
            raise FullDiskError(f"{path}: no space left")
        os.fsync(handle)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise FullDiskError(f"{path}: no space left") from error
        raise ReadOnlyDatabaseError(f"{path}: {error.strerror}") from error


def read(home: Path, kind: str | None = None) -> Iterator[dict[str, Any]]:
    """The records in order of writing, of one type or all; damaged lines are skipped.

    Raises:
        UnreadableSourceError: there is a ledger, but it cannot be read, which is not the same as an empty one.
    """
    named = kind.encode() if kind is not None else b""
    for line in _lines(home):
        record = _record(line) if named in line else None
        if record is not None and (kind is None or record.get("type") == kind):
            yield record


def damaged(home: Path) -> list[tuple[int, str]]:
    """(line number from 1, reason) of the lines that readers skip; raises as `read`."""
    lines = enumerate(_lines(home), 1)
    return [(number, why) for number, line in lines if (why := _damage(line)) is not None]


def _lines(home: Path) -> Iterator[bytes]:
    try:
        with location(home).open("rb") as stream:
            yield from stream
    except FileNotFoundError:
        return
    except OSError as error:
        raise UnreadableSourceError(str(location(home)), error.strerror or "cannot be read") from error


def since(home: Path, offset: int, tail: bytes) -> tuple[list[dict[str, Any]], int, bytes] | None:
    """(records, offset, tail) of what follows a place reached earlier; start with offset 0 and an empty tail.

    `tail` identifies the bytes before the place. None when others stand there now: whoever keeps something made from
    the ledger has to begin again.

    Raises:
        UnreadableSourceError: there is a ledger, but it cannot be read.
    """
    try:
        with location(home).open("rb") as stream:
            return _following(stream, offset, tail)
    except FileNotFoundError:
        return ([], 0, b"") if offset == 0 else None
    except OSError as error:
        raise UnreadableSourceError(str(location(home)), error.strerror or "cannot be read") from error


def size(home: Path) -> int:
    """The bytes of the ledger, 0 without one."""
    try:
        return os.stat(location(home)).st_size
    except OSError:
        return 0


def _following(stream: BinaryIO, offset: int, tail: bytes) -> tuple[list[dict[str, Any]], int, bytes] | None:
    if offset and _mark(stream, offset) != tail:
        return None
    stream.seek(offset)
    found = []
    for line in stream:
        if not line.endswith(b"\n"):
            break
        offset += len(line)
        if (record := _record(line)) is not None:
            found.append(record)
    return found, offset, _mark(stream, offset)


def _mark(stream: BinaryIO, offset: int) -> bytes:
    start = max(0, offset - _MARKED)
    stream.seek(start)
    return sha256(stream.read(offset - start)).digest() if offset else b""


def _record(line: bytes) -> dict[str, Any] | None:
    """The record on a whole line, None when it is damaged."""
    if line.endswith(b"\n") and len(line) <= LONGEST_LINE:
        with suppress(msgspec.DecodeError, UnicodeDecodeError):
            record = msgspec.json.decode(line)
            return record if isinstance(record, dict) else None
    return None


def _damage(line: bytes) -> str | None:
    """Why a line is no record; None for a record and for an empty line, with which a torn one is closed off."""
    if not line.strip() or _record(line) is not None:
        return None
    if not line.endswith(b"\n"):
        return "not written to its end"
    return "longer than a record may be" if len(line) > LONGEST_LINE else "not a JSON object"


def _folder(folder: Path) -> None:
    for missing in reversed([folder, *folder.parents]):
        if not missing.exists():
            with suppress(FileExistsError):
                missing.mkdir(mode=0o700)


def _torn(handle: int) -> bool:
    size = os.fstat(handle).st_size
    return size > 0 and os.pread(handle, 1, size - 1) != b"\n"
