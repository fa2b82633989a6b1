"""Reads files below a root without ever following a link or leaving it.

Each folder on the way is opened relative to the one before with O_NOFOLLOW, so a component that became a link between
listing and reading is an error, not a way out. The folders on the way to the last file stay open, as files mostly come
in folder order.
"""

import errno
import os
import stat
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from backstory.errors import InvalidProjectError

MOST_OPEN = 16
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK


class Stat(msgspec.Struct, frozen=True, gc=False):
    """What tells two versions of a file apart without reading it; times in nanoseconds."""

    size: int
    mtime: int
    ctime: int


class UnreadableFile(Exception):  # noqa: N818 - a reason that never leaves this package's callers
    """A file cannot be taken; the message is the reason (`missing`, `link`, `irregular`, `oversized`, `unreadable`)."""


def require(root: Path) -> None:
    """Makes sure that a root is there.

    Raises:
        InvalidProjectError: it is gone, or no folder any more.
    """
    with Reader(str(root), 0):
        pass


class Reader:
    """Reads files below one root; use as a context manager.

    Raises:
        InvalidProjectError: the root is gone, or no folder any more.
    """

    def __init__(self, root: str, limit: int) -> None:
        try:
            self._root = os.open(root, _FOLDER)
        except OSError as error:
            raise InvalidProjectError(root, error.strerror or str(error)) from error
        self._limit = limit
        self._folder: str | None = ""
        self._way: list[tuple[str, int]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._leave(0)
        os.close(self._root)

    def read(self, path: str) -> tuple[bytes, Stat]:
        """The bytes of a regular file of at most the limit, and its state when it was opened.

        Raises:
            Unreadable: with the reason; a file that grows past the limit while being read is `oversized`.
        """
        folder, _, name = path.rpartition("/")
        try:
            if folder != self._folder:
                self._enter(folder)
            handle = os.open(name, _FILE, dir_fd=self._inner())
        except FileNotFoundError:
            raise UnreadableFile("missing") from None
        except (OSError, ValueError) as error:
            raise UnreadableFile(_reason(error)) from None
        try:
            return self._take(handle)
        except OSError:
            raise UnreadableFile("unreadable") from None
        finally:
            os.close(handle)

    def _take(self, handle: int) -> tuple[bytes, Stat]:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise UnreadableFile("irregular")
        if found.st_size > self._limit:
            raise UnreadableFile("oversized")
        data = os.read(handle, found.st_size + 1)
        if len(data) != found.st_size:
            data += self._rest(handle, self._limit + 1 - len(data))
        if len(data) > self._limit:
            raise UnreadableFile("oversized")
        return data, Stat(found.st_size, found.st_mtime_ns, found.st_ctime_ns)

    @staticmethod
    def _rest(handle: int, most: int) -> bytes:
        """What a file that changes while it is read holds beyond what was read, at most so many bytes."""
        pieces: list[bytes] = []
        while most > 0 and (piece := os.read(handle, most)):
            pieces.append(piece)
            most -= len(piece)
        return b"".join(pieces)

    def _inner(self) -> int:
        return self._way[-1][1] if self._way else self._root

    def _enter(self, folder: str) -> None:
        parts = folder.split("/") if folder else []
        shared = 0
        for part, (name, _) in zip(parts, self._way, strict=False):
            if part != name:
                break
            shared += 1
        self._leave(shared)
        for part in parts[shared:]:
            name, following = part, os.open(part, _FOLDER, dir_fd=self._inner())
            if len(self._way) == MOST_OPEN:
                outer, handle = self._way.pop()
                os.close(handle)
                name = f"{outer}/{part}"
            self._way.append((name, following))
        self._folder = folder

    def _leave(self, kept: int) -> None:
        """Closes all but the outermost `kept` folders of the way."""
        self._folder = None
        while len(self._way) > kept:
            os.close(self._way.pop()[1])


def _reason(error: OSError | ValueError) -> str:
    if isinstance(error, NotADirectoryError) or getattr(error, "errno", 0) == errno.ELOOP:
        return "link"
    return "unreadable"
