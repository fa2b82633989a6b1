"""The append-only ledger of what a person told Backstory and no agent's log can hold: `canonical/ledger.jsonl`.

One JSON object per line, written in one call under a lock and synced before it counts. Records carry `type` (a name
with its domain first, as `project-trust`), `id`, `at` (milliseconds) and whatever their type says. A torn last line,
left by a crash, is skipped by readers and closed off by the next writer. Nothing is ever rewritten.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import suppress
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
    line = msgspec.json.encode(record) + b"\n"
    path = location(home)
    try:
        _folder(path.parent)
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if _torn(handle):
                line = b"\n" + line
            if os.write(handle, line) != len(line):
                raise FullDiskError(f"{path}: no space left")
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        if error.errno == 28:
            raise FullDiskError(f"{path}: no space left") from error
        raise ReadOnlyDatabaseError(f"{path}: {error.strerror}") from error


def read(home: Path, kind: str | None = None) -> Iterator[dict[str, Any]]:
    """The records in order of writing, of one type or all; damaged lines are skipped."""
    try:
        stream = location(home).open("rb")
    except OSError:
        return
    named = kind.encode() if kind is not None else b""
    with stream:
        for line in stream:
            record = _record(line) if named in line else None
            if record is not None and (kind is None or record.get("type") == kind):
                yield record


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


def _folder(folder: Path) -> None:
    for missing in reversed([folder, *folder.parents]):
        if not missing.exists():
            with suppress(FileExistsError):
                missing.mkdir(mode=0o700)


def _torn(handle: int) -> bool:
    size = os.fstat(handle).st_size
    return size > 0 and os.pread(handle, 1, size - 1) != b"\n"
