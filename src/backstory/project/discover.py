"""Which files a project has: from Git where there is one, else from a walk; bounded, excluded by name, in path order.

Nothing here reads a file's content. Neighbours: `git` and `walk` list, `guards` excludes, the indexer reads.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from backstory.project import git
from backstory.project.guards import excluded_path
from backstory.project.walk import walk


class Limits(msgspec.Struct, frozen=True):
    """Bounds of one project."""

    files: int = 100_000
    file_bytes: int = 512_000
    total_bytes: int = 500_000_000


class Discovery(msgspec.Struct):
    """What a project holds: paths in order, blob ids of tracked ones, and what was left out by reason."""

    head: git.Head | None = None
    paths: list[str] = msgspec.field(default_factory=list)
    blobs: dict[str, str] = msgspec.field(default_factory=dict)
    excluded: Counter[str] = msgspec.field(default_factory=Counter)
    truncated: bool = False


def discover(root: Path, limits: Limits, known: Collection[str] = (), only: Sequence[str] = ()) -> Discovery:
    """The files below a canonical root. Paths in `known` were accepted before and are not judged by name again.

    With `only`, Git is asked about these paths alone; a walk still goes everywhere.
    """
    found = Discovery()
    listed: list[str] = []
    head = git.head(root)
    listing = git.listing(root, only=only) if head else None
    if head and listing:
        found.head = head
        found.blobs = listing.tracked
        # Tracked files come first, so that a bound cuts untracked ones; Git lists them in order already.
        listed = [*sorted(listing.tracked), *sorted(listing.untracked)]
    else:
        walked = walk(root, limits.files * 4, limits.files * 4)
        listed, found.truncated = walked.paths, walked.truncated
    if known:
        listed, unknown = [path for path in listed if path in known], [path for path in listed if path not in known]
        found.paths = listed
    else:
        unknown = listed
    for path in unknown:
        if reason := excluded_path(path):
            found.excluded[reason] += 1
        else:
            found.paths.append(path)
    if len(found.paths) > limits.files:
        found.truncated = True
        del found.paths[limits.files :]
    found.paths.sort()
    return found
