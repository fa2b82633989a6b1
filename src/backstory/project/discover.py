"""Which files a project has: from Git where there is one, else from a walk; bounded, excluded by name, in path order.

Nothing here reads a file's content. Neighbours: `git` and `walk` list, `guards` excludes, the indexer reads.
"""

from collections import Counter
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from hashlib import sha256
from pathlib import Path

import msgspec

from backstory.project import git
from backstory.project.guards import excluded_path
from backstory.project.walk import walk

# To be raised when names or folders begin to be judged otherwise, so that every list is taken apart again.
RULES = 4


class ProjectLimits(msgspec.Struct, frozen=True):
    """Bounds of one project."""

    files: int = 100_000
    file_bytes: int = 512_000
    total_bytes: int = 500_000_000


class Look(msgspec.Struct, frozen=True):
    """What Git says of a project, not yet taken apart: `mark` differs once anything of it, or of the bounds, does."""

    head: git.Head | None = None
    output: bytes | None = None
    mark: str | None = None


class Discovery(msgspec.Struct):
    """What a project holds: paths in order, blob ids of tracked ones, and what was left out by reason.

    `nested` says that some paths come from work trees inside of the project's own.
    """

    head: git.Head | None = None
    paths: list[str] = msgspec.field(default_factory=list)
    blobs: dict[str, str] = msgspec.field(default_factory=dict)
    excluded: Counter[str] = msgspec.field(default_factory=Counter)
    truncated: bool = False
    nested: bool = False


def look(root: Path, limits: ProjectLimits, only: Sequence[str] = ()) -> Look:
    """Asks Git what lies below a canonical root; with `only`, about these paths alone."""
    head = git.head(root)
    output = git.listed(root, only) if head else None
    if head is None or output is None or _ignored(root, head, output, only):
        return Look()
    about = msgspec.json.encode((RULES, head, limits))
    return Look(head, output, sha256(about + b"\0" + output).hexdigest())


def _ignored(root: Path, head: git.Head, output: bytes, only: Sequence[str]) -> bool:
    """Whether the work tree around a root ignores it: Git then lists nothing there, whatever it holds."""
    return not output and head.top != str(root) and not (only and git.listed(root))


def discover(root: Path, limits: ProjectLimits, seen: Look, known: AbstractSet[str] = frozenset()) -> Discovery:
    """The files below a canonical root. Paths in `known` were accepted before and are not judged by name again.

    Where Git said nothing a walk goes everywhere.
    """
    found = Discovery()
    listed: list[str] = []
    listing = git.listing(root, seen.output)
    if listing is not None:
        found.head, found.blobs, found.nested = seen.head, listing.tracked, listing.nested
        # Tracked files come first, so that a bound cuts untracked ones; Git lists them in order already.
        listed = [*sorted(listing.tracked), *sorted(listing.untracked)]
        repositories = listing.repositories
    else:
        walked = walk(root, limits.files * 4, limits.files * 4)
        listed, found.truncated, repositories = walked.paths, walked.truncated, walked.repositories
    if repositories:
        found.excluded["bare repository"] = repositories
    if known:
        # What Git tracks no longer is judged anew.
        sure = known - set(listing.untracked) if listing is not None and listing.untracked else known
        listed, unknown = [path for path in listed if path in sure], [path for path in listed if path not in sure]
        found.paths = listed
    else:
        unknown = listed
    for path in unknown:
        if reason := excluded_path(path, tracked=path in found.blobs):
            found.excluded[reason] += 1
        else:
            found.paths.append(path)
    if len(found.paths) > limits.files:
        found.truncated = True
        del found.paths[limits.files :]
    found.paths.sort()
    return found
