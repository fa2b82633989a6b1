"""Walks the places where sessions may lie and names every candidate file with its stamp; opens nothing.

Directory links are not followed, so loops cannot occur. What a candidate is gets decided by `recognise`, once per
stamp: the index remembers the answer.
"""

import os
import stat
from collections.abc import Iterator

from backstory.records.base import Record
from backstory.records.checkpoint import Stamp


class Place(Record, frozen=True):
    """A folder (or one file) that may hold sessions; `source` is the agent it was named for."""

    source: str
    path: str


class Candidate(Record, frozen=True):
    """A file with a promising name."""

    path: str
    stamp: Stamp


class Unreadable(Record, frozen=True):
    """A file or folder that could not be looked into, and why."""

    path: str
    reason: str


def walk(place: Place, suffixes: tuple[str, ...]) -> Iterator[Candidate | Unreadable]:
    """Candidates below a place in no particular order; a missing place yields nothing."""
    if os.path.isfile(place.path):
        yield from _candidate(place.path)
        return
    folders = [place.path]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif entry.name.endswith(suffixes):
                        yield from _candidate(entry.path)
        except FileNotFoundError:
            continue
        except OSError as error:
            yield Unreadable(printable(folder), error.strerror or str(error))


def _candidate(path: str) -> Iterator[Candidate | Unreadable]:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return
    except OSError as error:
        yield Unreadable(printable(path), error.strerror or str(error))
        return
    if not stat.S_ISREG(found.st_mode):
        return
    if printable(path) != path:
        yield Unreadable(printable(path), "its name is not UTF-8")
        return
    yield Candidate(path, Stamp(found.st_size, found.st_mtime_ns, found.st_ino))


def printable(path: str) -> str:
    """A path as it can be shown and stored: what is not UTF-8 in a name becomes U+FFFD."""
    return path if path.isascii() else os.fsencode(path).decode("utf-8", "replace")
