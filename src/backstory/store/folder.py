"""Keeps the folder of a database where it is while the database is opened.

A database is several files: who opened one of them before the folder was replaced and the next one afterwards would
read, and write, two databases as one. So everybody who opens holds the folder, and who puts another in its place
waits for them (`moving`). Between the two steps of that the old folder bears another name; who finds it so waits for
the end (`alone`). Where no lock can be had nothing can be moved either, and the body just runs.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from backstory.config.paths import make_folder

# What the name of a folder ends with while another one is put in its place.
AWAY = ".old"


def which(path: str) -> tuple[int, int] | None:
    """Which file or folder lies at a path; None when there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def size(path: str) -> int:
    """The bytes of a file, 0 without one: what lies beside a database others may delete at any moment."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


@contextmanager
def alone(home: str) -> Iterator[None]:
    """Waits until nobody else makes or moves a folder of databases; where there is no data folder yet, nobody does."""
    with _held(home, fcntl.LOCK_EX):
        yield


@contextmanager
def idle(home: str) -> Iterator[bool]:
    """`alone` without waiting: whether nobody makes or moves a folder of databases, and none will in the body."""
    try:
        handle = os.open(home, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        yield False
        return
    try:
        yield _locked(handle)
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    """Whether a lock could be had at once."""
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def moving(folder: str) -> Iterator[None]:
    """Nobody opens a database in a folder meanwhile; the body must not either."""
    with _held(folder, fcntl.LOCK_EX):
        yield


@contextmanager
def opening(path: str, *, read_only: bool = False) -> Iterator[None]:
    """Nobody moves the folder of a database meanwhile; it is made first, unless one only reads."""
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        _wait(folder)
        if not read_only:
            with suppress(OSError):  # who makes the file says what is wrong
                make_folder(folder)
    with unmoved(path):
        yield


@contextmanager
def unmoved(path: str) -> Iterator[None]:
    """Nobody moves the folder of a database meanwhile."""
    if path == ":memory:":
        yield
        return
    with _held(os.path.dirname(path) or ".", fcntl.LOCK_SH):
        yield


@contextmanager
def _held(folder: str, how: int) -> Iterator[None]:
    handle = _lock(folder, how)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def _lock(folder: str, how: int) -> int | None:
    """A locked handle of the folder that lies at a path now, not of one that was there before."""
    while True:
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except FileNotFoundError:
            if _wait(folder):
                continue
            return None
        except OSError:
            return None
        with suppress(OSError):
            fcntl.flock(handle, how)
        if _lies(folder, handle):
            return handle
        os.close(handle)


def _wait(folder: str) -> bool:
    """Waits for the end of a move that is under way; whether there was one, and the folder lies there again.

    What was moved away when that was killed is moved back, so that nobody makes an empty one in its place.
    """
    if not os.path.exists(f"{folder}{AWAY}"):
        return os.path.exists(folder)
    with alone(os.path.dirname(folder)):
        if not os.path.exists(folder):
            with suppress(OSError):
                os.rename(f"{folder}{AWAY}", folder)
        return os.path.exists(folder)


def _lies(folder: str, handle: int) -> bool:
    return which(folder) == (os.fstat(handle).st_dev, os.fstat(handle).st_ino)
