"""Which folder is the project, and which folders may never be one.

Trust is given to a canonical root, by a person or a host; this module only says what a canonical root is. It reads no
folder's contents: finding the enclosing project tests for the presence of a `.git` entry and nothing else.
"""

import os
from collections.abc import Collection
from hashlib import sha256
from pathlib import Path

from backstory.config.paths import MISSING, absent
from backstory.errors import InvalidProjectError

DIGEST_CHARS = 32


def canonical(path: Path) -> Path:
    """The real path of a folder that may be a project.

    Raises:
        InvalidProjectError: it is missing, no folder, the root of the file system or somebody's home.
    """
    try:
        root = Path(os.path.realpath(path))
        if not root.is_dir():
            raise InvalidProjectError(str(path), _lacking(path))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no folder can have that name"
        raise InvalidProjectError(str(path), reason) from error
    if root == Path(root.anchor):
        raise InvalidProjectError(str(path), "it is the root of the file system")
    if root in _homes():
        raise InvalidProjectError(str(path), "it is a home folder")
    try:
        str(root).encode()
    except UnicodeEncodeError:
        raise InvalidProjectError(str(path), "its name is not valid UTF-8") from None
    return root


def _lacking(path: Path) -> str:
    reason = absent(path)
    if reason is None:
        return "it is not a folder"
    return "there is no such folder" if reason == MISSING else f"it {reason}"


def enclosing(start: Path | str, trusted: Collection[str] = ()) -> Path:
    """The project around `start`: the nearest trusted root or Git work tree at or above it, else `start` itself."""
    here = Path(os.path.realpath(start))
    homes = _homes()
    for folder in (here, *here.parents):
        if folder == Path(folder.anchor) or folder in homes:
            break
        if str(folder) in trusted or (folder / ".git").exists():
            return folder
    return here


def digest(root: Path) -> str:
    """The name of a root's database: the first 32 hex digits of the SHA-256 of its canonical path."""
    return sha256(str(root).encode()).hexdigest()[:DIGEST_CHARS]


def _homes() -> set[Path]:
    homes = {Path(os.path.realpath(Path("~").expanduser()))}
    if "HOME" in os.environ:
        homes.add(Path(os.path.realpath(os.environ["HOME"])))
    return homes
