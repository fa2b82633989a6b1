"""Lists the files of a folder that is not in Git: deterministic, bounded, ignore files honoured, no link followed.

Neighbours: `git` lists work trees, `discover` chooses.
"""

import os
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec

from backstory.project.guards import ignored_folder

IGNORE_FILES = (".gitignore", ".ignore")
IGNORE_BYTES = 256 * 1024
IGNORE_LINES = 5000


class Walk(msgspec.Struct):
    """Relative paths in order; `truncated` says that a bound was met before the end.

    `repositories` counts folders in which Git keeps a repository without a work tree; nothing in them is source.
    """

    paths: list[str] = msgspec.field(default_factory=list)
    truncated: bool = False
    repositories: int = 0


Ignored = Callable[[str, bool], bool | None]
_REPOSITORY = frozenset({("HEAD", False), ("objects", True), ("refs", True)})
_STAR = "[^/]*"


def walk(root: Path, most_files: int, most_folders: int) -> Walk:
    """The regular files below `root`, depth first in code-point order of names."""
    found = Walk()
    folders = 0
    stack: list[tuple[str, tuple[tuple[str, Ignored], ...]]] = [("", ())]
    while stack:
        folder, rules = stack.pop()
        folders += 1
        if folders > most_folders or len(found.paths) >= most_files:
            found.truncated = True
            break
        entries = _entries(root / folder)
        if _REPOSITORY.issubset(entries):
            found.repositories += 1
            continue
        rules += tuple(_rules(root / folder, folder, entries))
        below = []
        for name, is_folder in entries:
            path = f"{folder}/{name}" if folder else name
            if (is_folder and ignored_folder(name)) or _ignored(path, is_folder, rules):
                continue
            if is_folder:
                below.append((path, rules))
            elif len(found.paths) < most_files:
                found.paths.append(path)
            else:
                found.truncated = True
        stack.extend(reversed(below))
    found.paths.sort()
    return found


def _entries(folder: Path) -> list[tuple[str, bool]]:
    """Names of regular files and real folders, in order; an unreadable folder is empty."""
    try:
        with os.scandir(folder) as entries:
            found = [
                (entry.name, entry.is_dir(follow_symlinks=False))
                for entry in entries
                if not entry.is_symlink()
                and (entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False))
            ]
    except OSError:
        return []
    return sorted(found)


def _rules(folder: Path, prefix: str, entries: list[tuple[str, bool]]) -> Iterator[tuple[str, Ignored]]:
    names = {name for name, is_folder in entries if not is_folder}
    for name in IGNORE_FILES:
        if name in names:
            lines = _lines(folder / name)
            if lines:
                yield prefix, matcher(lines)


def _lines(path: Path) -> list[str]:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return []
    with os.fdopen(handle, "rb") as stream:
        data = stream.read(IGNORE_BYTES) if stat.S_ISREG(os.fstat(handle).st_mode) else b""
    # As Git takes lines apart: other signs that end a line are part of a rule.
    return [line.removesuffix("\r") for line in data.decode("utf-8-sig", "replace").split("\n")[:IGNORE_LINES]]


def matcher(lines: list[str]) -> Ignored:
    """Tells of a path below the folder of these rules whether they ignore it; None where none says anything of it."""
    # Costs 60 ms to import, more than all of Backstory, and only folders outside Git ever need it.
    from pathspec import GitIgnoreSpec  # noqa: PLC0415

    rules: list[tuple[re.Pattern[str], bool]] = []
    for line in lines:
        if not line.lstrip("!").strip("/ "):
            continue  # names nothing, to Git; libraries differ
        # Folders below, to Git: not the folder itself, nor its files.
        rule_line = f"{line}*/" if line.endswith("/**/") else line
        try:
            patterns = GitIgnoreSpec.from_lines([rule_line]).patterns
        except ValueError:
            continue
        for pattern in patterns:
            source = pattern.regex.pattern if pattern.include is not None and pattern.regex else None
            if isinstance(source, str):
                rules.append((re.compile(_linear(_itself(source))), bool(pattern.include)))
    # Asking once whether any rule speaks of a path is twenty times as fast as asking each.
    any_rule = re.compile("|".join(f"(?:{rule.pattern})" for rule, _ in rules) or "(?!)")

    def ignored(path: str, is_folder: bool) -> bool | None:  # noqa: FBT001 - a callback of fixed shape
        path = path + "/" if is_folder else path
        if any_rule.match(path) is None:
            return None
        return next((include for rule, include in reversed(rules) if rule.match(path)), None)

    return ignored


def _itself(source: str) -> str:
    """The expression of an ignore rule for the very path alone: a walk has judged its folders already, as Git does."""
    for end, own in (("(?:(?P<ps_d>/)|$)", "/?$"), ("(?P<ps_d>/)", "/$"), ("/", "/.")):
        if source.endswith(end):
            return source.removesuffix(end) + own
    return source


def _linear(source: str) -> str:
    """The expression of an ignore rule in which no star is tried twice: the first place for what follows it will do."""
    source = source if source.startswith("^") else f"(?s:.*?){source}"
    first, *parts = source.split(_STAR)
    if not parts or any("(?" in part for part in parts[:-1]):
        return _STAR.join((first, *parts))
    return first + "".join(f"(?>{_STAR}?{part})" for part in parts[:-1]) + _STAR + parts[-1]


def _ignored(path: str, is_folder: bool, rules: tuple[tuple[str, Ignored], ...]) -> bool:  # noqa: FBT001 - private
    """The innermost ignore file with an opinion decides."""
    for prefix, ignored in reversed(rules):
        verdict = ignored(path[len(prefix) + 1 :] if prefix else path, is_folder)
        if verdict is not None:
            return verdict
    return False
