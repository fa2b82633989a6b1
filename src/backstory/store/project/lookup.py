"""What a project's database knows by name: files by their paths and base names, declarations by theirs.

Names are compared in any case; only current files count. Neighbours: `store.project.search` matches text.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from backstory.records.base import Record
from backstory.records.project import Symbol
from backstory.store.project.database import ProjectStore
from backstory.store.statements import array, load

SQL = load("project/lookup")


class Declared(Record, frozen=True):
    """A declaration with its file."""

    file_id: int
    path: str
    symbol: Symbol


def by_path(store: ProjectStore, path: str) -> int | None:
    """The current file with exactly this path."""
    found = store.rows(SQL.by_path, (path,))
    return found[0][0] if found else None


def by_name(store: ProjectStore, name: str) -> list[tuple[int, str]]:
    """Ids and paths of current files with this base name in any case; at most 64."""
    return store.rows(SQL.by_name, (name,))


def by_symbol(store: ProjectStore, name: str) -> list[Declared]:
    """Declarations of this simple name in any case; at most 64."""
    return [Declared(row[0], row[1], _symbol(row[2:])) for row in store.rows(SQL.by_symbol, (name,))]


def common(store: ProjectStore, name: str) -> bool:
    """Whether more declarations have this simple name than `by_symbol` would give."""
    return bool(store.rows(SQL.common, (name,)))


def called(store: ProjectStore, names: Iterable[str]) -> list[str]:
    """Which of some simple names are declared, in any case."""
    return [name for (name,) in store.rows(SQL.called, (array(names),))]


def written_as(store: ProjectStore, name: str) -> list[str]:
    """Declared names that differ from this one in case and underscores alone."""
    return [found for (found,) in store.rows(SQL.written_as, (name,))]


def files_with(store: ProjectStore, pattern: str, most: int) -> list[str]:
    """Base names of current files like a pattern in which only `%` is no letter, the shortest first."""
    return [name for (name,) in store.rows(SQL.files_with, (pattern.replace("_", r"\_"), most))]


def names_with(store: ProjectStore, pattern: str, most: int) -> list[str]:
    """Declared names like a pattern in which only `%` is no letter, the shortest first."""
    return [name for (name,) in store.rows(SQL.names_with, (pattern.replace("_", r"\_"), most))]


def declared(store: ProjectStore, places: Sequence[tuple[int, int, int]]) -> list[list[Symbol]]:
    """What begins within some places, each a file with its first and last line, in line order."""
    found: list[list[Symbol]] = [[] for _ in places]
    for place, *row in store.rows(SQL.declared, (array(places),)):
        found[place].append(_symbol(row))
    return found


def _symbol(row: Sequence[Any]) -> Symbol:
    name, qualified, kind, start, end = row
    parent = qualified[: -len(name) - 1] if len(qualified) > len(name) else None
    return Symbol(name, qualified, kind, start, end, "", parent)
