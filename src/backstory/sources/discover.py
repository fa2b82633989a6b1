"""Walks the places where sessions may lie and names every candidate file with its stamp; opens nothing.

Directory links are not followed, so loops cannot occur. What a candidate is gets decided by `recognise`, once per
stamp: the index remembers the answer.
"""

import errno
import os
import stat
from collections.abc import Iterator

from backstory.records.base import Record
from backstory.records.checkpoint import Stamp

LOOP = "it is a link that leads back to itself"


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


def walk(place: Place, suffixes: tuple[str, ...], seen: set[str] | None = None) -> Iterator[Candidate | Unreadable]:
    """Candidates below a place in no particular order; a missing place yields nothing.

    Folders in `seen` are passed by, and those that were looked into are added, so that places may lie in each other.
    """
    seen = set() if seen is None else seen
    if os.path.isfile(place.path):
        if found := _candidate(place.path):
            yield found
        return
    folders = [place.path]
    while folders:
        folder = folders.pop()
        if folder in seen:
            continue
        seen.add(folder)
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif entry.name.endswith(suffixes) and (found := _candidate(entry.path)):
                        yield found
        except FileNotFoundError:
            continue
        except OSError as error:
            yield Unreadable(printable(folder), error.strerror or str(error))


def _candidate(path: str) -> Candidate | Unreadable | None:
    try:
        found = os.stat(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        return Unreadable(printable(path), LOOP if error.errno == errno.ELOOP else error.strerror or str(error))
    if not stat.S_ISREG(found.st_mode):
        return None
    if printable(path) != path:
        return Unreadable(printable(path), "its name is not UTF-8")
    return Candidate(path, Stamp(found.st_size, found.st_mtime_ns, found.st_ino))


def printable(path: str) -> str:
    """A path as it can be shown and stored: what is not UTF-8 in a name becomes U+FFFD."""
    return path if path.isascii() else os.fsencode(path).decode("utf-8", "replace")
