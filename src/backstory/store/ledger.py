"""The append-only ledger of what a person told Backstory and no agent's log can hold: `canonical/ledger.jsonl`.

One JSON object per line, written in one call under a lock and synced before it counts. Records carry `type` (a name
with its domain first, as `project-trust`), `id`, `at` (milliseconds) and whatever their type says. A torn last line,
left by a crash, is skipped by readers and closed off by the next writer. Nothing is ever rewritten.
What was added since a place that was reached is told by `store.ledger_tail`.
"""

import errno
import fcntl
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import msgspec

from backstory.config.paths import Folder, make_folder, open_file
from backstory.errors import FullDiskError, InvalidTextError, ReadOnlyDatabaseError, UnreadableSourceError

LONGEST_LINE = 1024 * 1024
_BLOCK = 1 << 20


def location(home: Folder) -> str:
    """The ledger below a data folder."""
    return os.path.join(home, "canonical", "ledger.jsonl")


def append(home: Folder, record: dict[str, Any]) -> None:
    """Adds one record; returns once it is on disk.

    Raises:
        ReadOnlyDatabaseError: the data folder cannot be written.
        FullDiskError: no room; the ledger is as it was, or ends in a line that readers skip.
    """
    with writing(home) as add:
        add(record)


@contextmanager
def writing(home: Folder) -> Iterator[Callable[[dict[str, Any]], None]]:
    """The ledger for one writer alone: what is read in the body still holds when the function given is called.

    The function adds one record as `append` does, which must not be called in the body.

    Raises:
        ReadOnlyDatabaseError, FullDiskError: as `append`.
    """
    path = location(home)
    with _told(path):
        make_folder(os.path.dirname(path))
        handle = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        with _told(path):
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield lambda record: _add(path, handle, record)
    finally:
        os.close(handle)


def _add(path: str, handle: int, record: dict[str, Any]) -> None:
    try:
        line = msgspec.json.encode(record) + b"\n"
    except UnicodeEncodeError as error:
        raise InvalidTextError from error
    with _told(path):
        if _torn(handle):
            line = b"\n" + line
        if os.write(handle, line) != len(line):
            raise FullDiskError(f"{path}: no space left")
        os.fsync(handle)


@contextmanager
def _told(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise FullDiskError(f"{path}: no space left") from error
        raise ReadOnlyDatabaseError(f"{path}: {error.strerror}") from error


def read(home: Folder, kind: str | None = None) -> Iterator[dict[str, Any]]:
    """The records in order of writing, of one type or all; damaged lines are skipped.

    Raises:
        UnreadableSourceError: there is a ledger, but it cannot be read, which is not the same as an empty one.
    """
    for line in _lines(home) if kind is None else _lines_with(home, kind.encode()):
        record = parsed(line)
        if record is not None and (kind is None or record.get("type") == kind):
            yield record


def damaged(home: Folder) -> list[tuple[int, str]]:
    """(line number from 1, reason) of the lines that readers skip; raises as `read`."""
    lines = enumerate(_lines(home), 1)
    return [(number, why) for number, line in lines if (why := _damage(line)) is not None]


def _lines_with(home: Folder, named: bytes) -> Iterator[bytes]:
    """The lines that hold some bytes: of thousands that tell memories, a plan wants the few of other types."""
    held = b"".join(_lines(home, _BLOCK))
    at = held.find(named)
    while at >= 0:
        end = held.find(b"\n", at) + 1 or len(held)
        yield held[held.rfind(b"\n", 0, at) + 1 : end]
        at = held.find(named, end)


def _lines(home: Folder, size: int | None = None) -> Iterator[bytes]:
    """The lines, or blocks of so many bytes."""
    try:
        with open_file(location(home)) as stream:
            yield from stream if size is None else iter(partial(stream.read, size), b"")
    except FileNotFoundError:
        return
    except OSError as error:
        raise unreadable(home, error) from error


def unreadable(home: Folder, error: OSError) -> UnreadableSourceError:
    """What to say of a ledger that is there and cannot be read."""
    return UnreadableSourceError(location(home), error.strerror or "cannot be read", advice="check its owner and mode")


def count(home: Folder) -> int:
    """How many records were ever written; 0 when there are none."""
    try:
        return sum(bool(line.strip()) for line in _lines(home))
    except UnreadableSourceError:
        return 0


def size(home: Folder) -> int:
    """The bytes of the ledger, 0 without one."""
    try:
        return os.stat(location(home)).st_size
    except OSError:
        return 0


def parsed(line: bytes) -> dict[str, Any] | None:
    """The record on a whole line, None when it is damaged."""
    if line.endswith(b"\n") and len(line) <= LONGEST_LINE:
        with suppress(msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            record = msgspec.json.decode(line)
            return record if isinstance(record, dict) else None
    return None


def _damage(line: bytes) -> str | None:
    """Why a line is no record; None for a record and for an empty line, with which a torn one is closed off."""
    if not line.strip() or parsed(line) is not None:
        return None
    if not line.endswith(b"\n"):
        return "not written to its end"
    return "longer than a record may be" if len(line) > LONGEST_LINE else "not a JSON object"


def _torn(handle: int) -> bool:
    size = os.fstat(handle).st_size
    return size > 0 and os.pread(handle, 1, size - 1) != b"\n"
