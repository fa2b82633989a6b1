"""Shows live files of a trusted project: declarations with their details, and lines by path, range or name.

What is shown is read now; a file that differs from the index is indexed again first. Neighbours:
`engine.project.search` finds ranges for a request.
"""

import os
import re
from hashlib import sha256

import msgspec

from backstory.engine.project.access import Project, synchronise
from backstory.errors import InvalidFilterError, UnknownTargetError
from backstory.index.project_file import declared
from backstory.privacy import classify, secrets
from backstory.project.guards import decoded, excluded_path
from backstory.project.reading import Reader, UnreadableFile
from backstory.project.symbols import grammar_of, trees
from backstory.project.symbols.details import details
from backstory.records.project import Detail, FileEntry, SourceItem, Symbol
from backstory.records.project_requests import FoundSymbol
from backstory.retrieve.project.near import near
from backstory.store.project import contents, lookup, state
from backstory.store.project.database import ProjectStore
from backstory.text import tokens

MOST_FOUND = 32
AROUND = 10
MISSING = "missing"
# Why a file that is there is not shown, by the reason that the index gives.
WHY = {
    "folder": "nothing is read in such a folder",
    "sensitive": "it is a place for credentials, or holds one",
    "lock": "it is written by a package tool",
    "asset": "it is no source by its name",
    "name": "its path lies outside of the project or cannot be written down",
    "link": "links are never followed",
    "irregular": "it is no regular file",
    "oversized": "it is larger than files of an index may be",
    "unreadable": "it cannot be read",
    "binary": "it is no text",
    "encoding": "it is no UTF-8 text",
}
ELSEWHERE = "backstory project files lists what is indexed, backstory project search finds it by words"
_TARGET = re.compile(r"(?P<path>.+?)(?::(?P<start>\d{1,7})(?:-(?P<end>\d{1,7}))?)?\Z", re.DOTALL)


def files(project: Project, prefix: str, limit: int) -> tuple[list[FileEntry], bool, bool]:
    """Indexed files below a path prefix, whether there are more, and whether the project lies in a Git work tree."""
    with project.open() as store:
        rows = contents.files(store, prefix, limit + 1)
        versioned = state.get(store).revision.git_root is not None
    entries = [FileEntry(row[0], row[1], row[2], row[3], bool(row[4]), bool(row[5]), row[6]) for row in rows[:limit]]
    return entries, len(rows) > limit, versioned


def symbols(project: Project, name: str) -> tuple[list[FoundSymbol], tuple[str, ...]]:
    """The declarations of a file, or those with a simple or qualified name, each with signature and references.

    Where the project has neither, what the name may stand for.
    """
    with project.open() as store:
        synchronise(project, store)
        name = _below(project, name)
        if lookup.by_path(store, name) is not None:
            wanted = {name: None}
        else:
            wanted = dict.fromkeys(item.path for item in _named(store, name))
        alike = () if wanted else near(store, name)
    found: list[FoundSymbol] = []
    for path in list(wanted)[:MOST_FOUND]:
        text, digest = read(project, path)
        if text is not None and digest is not None:
            chosen = [item for item in _details(path, text) if path == name or _matches(item.symbol, name)]
            found.extend(FoundSymbol(path, digest, item) for item in chosen)
    return found, alike


def _below(project: Project, path: str) -> str:
    """A path below the root as the index has it; anything else as it is."""
    return path.removeprefix(f"{project.root}/").removeprefix("./")


def _named(store: ProjectStore, name: str) -> list[FoundSymbol]:
    """The declarations of a name in any case, those written as it is first."""
    simple = _spelled(name).rpartition(".")[2]
    declared_ = [item for item in lookup.by_symbol(store, simple) if _matches(item.symbol, name)]
    declared_.sort(key=lambda item: item.symbol.name != simple)
    return [FoundSymbol(item.path, "", Detail(item.symbol)) for item in declared_]


def _spelled(name: str) -> str:
    return name.replace("::", ".").replace("#", ".").strip("()")


def _matches(symbol: Symbol, name: str) -> bool:
    return ("." + symbol.qualified.lower()).endswith("." + _spelled(name).lower())


def _details(path: str, text: str) -> list[Detail]:
    grammar = grammar_of(path)
    if grammar is None:
        return []
    found = None if classify.marked(text) else trees.outline(path, text)
    return details(text, declared(path, text) if found is None else found, grammar)


def show(project: Project, target: str) -> list[SourceItem]:
    """Lines of a file (`PATH`, `PATH:START-END`, ten either side of `PATH:LINE`) or every declaration of a name.

    Raises:
        InvalidFilterError: the file has no such lines.
        UnknownTargetError: nothing in the project is called that, or it is not shown.
    """
    match = _TARGET.match(target)
    path = _below(project, match["path"] if match else target)
    unshown = excluded_path(path, tracked=True)
    if unshown is None:
        text, digest, unshown = _taken(project, path)
        if text is not None and digest is not None and match:
            return [_lines(path, text, digest, match["start"], match["end"])]
    if unshown == "name" or (unshown != MISSING and os.path.lexists(project.root / path)):
        raise _unshown(project, path, unshown or "")
    declared_, alike = symbols(project, target if match is None or not match["start"] else path)
    shown = [
        item(found.path, text, digest, found.detail.symbol.start, found.detail.symbol.end, found.detail.symbol)
        for found in declared_
        for text, digest in (read(project, found.path),)
        if text is not None and digest is not None
    ]
    if not shown:
        told = f"the project has no file and no declaration called {path!r}"
        raise UnknownTargetError(f"{told}; did you mean {' or '.join(alike)}?" if alike else told, advice=ELSEWHERE)
    return shown


def _lines(path: str, text: str, digest: str, first: str | None, last: str | None) -> SourceItem:
    """The lines a target names: all, a range, or those around one."""
    count = max(1, text.count("\n") + (not text.endswith("\n")))
    start = int(first or 1)
    end = int(last or (start if first else count))
    if not 1 <= start <= end or start > count:
        asked = f"{start}-{end}" if start != end else f"{start}"
        raise InvalidFilterError(f"{path} has lines 1 to {count}, not {asked}")
    if first is None or last is not None:
        return item(path, text, digest, start, min(end, count), None)
    around = [symbol for symbol in declared(path, text) if symbol.start <= start <= symbol.end]
    begin, stop = max(1, start - AROUND), min(count, start + AROUND)
    found = item(path, text, digest, begin, stop, around[-1] if around else None)
    return msgspec.structs.replace(found, lines=(start,))


def _unshown(project: Project, path: str, reason: str) -> UnknownTargetError:
    if os.path.isdir(project.root / path):  # of a name that is too long `Path` would raise
        listed = f"backstory project files {path.rstrip('/')}/ lists what is in it"
        return UnknownTargetError(f"{path} is a folder", advice=listed)
    return UnknownTargetError(f"{path} is not shown: {WHY.get(reason, reason)}")


def read(project: Project, path: str) -> tuple[str | None, str | None]:
    """The text and hash of a live file, or None for one that is missing, no text, or holds a credential.

    Passwords in addresses and what headers of requests carry are replaced.
    """
    return _taken(project, path)[:2]


def _taken(project: Project, path: str) -> tuple[str | None, str | None, str | None]:
    """The text and hash of a live file, or why it is not taken."""
    try:
        with Reader(str(project.root), project.limits.file_bytes) as reader:
            data, _ = reader.read(path)
    except UnreadableFile as error:
        return None, None, str(error)
    text, reason = decoded(data)
    if text is None:
        return None, None, reason
    shown = secrets.presentable(text)
    return (None, None, "sensitive") if shown is None else (shown, sha256(data).hexdigest(), None)


def item(path: str, text: str, digest: str, start: int, end: int, symbol: Symbol | None) -> SourceItem:
    """A range of a text that was just read."""
    shown = "\n".join(text.split("\n")[start - 1 : end])
    return SourceItem(
        path=path,
        start_line=start,
        end_line=end,
        symbol=symbol.qualified if symbol else None,
        kind=symbol.kind if symbol else None,
        sha256=digest,
        tokens=tokens.count(shown),
        reason="asked for",
        text=shown,
        level=classify.level(text),
    )
