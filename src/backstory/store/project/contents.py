"""What a project's index holds, counted and listed, for people who ask about it. Neighbour: `engine.project`."""

from typing import Any, NamedTuple

from backstory.store.project.database import ProjectStore
from backstory.store.statements import load

SQL = load("project/contents")


class FileCounts(NamedTuple):
    """Numbers of files; those `modified` are current ones."""

    current: int
    stale: int
    excluded: int
    modified: int


def counts(store: ProjectStore) -> FileCounts:
    """How many files there are of each standing."""
    return FileCounts(*store.rows(SQL.counts)[0])


def sizes(store: ProjectStore) -> tuple[int, int]:
    """Numbers of snippets and declarations."""
    snippets, symbols = store.rows(SQL.sizes)[0]
    return snippets, symbols


def exclusions(store: ProjectStore) -> dict[str, int]:
    """How many files were left out after they were looked at, by reason."""
    return dict(store.rows(SQL.exclusions))


def files(store: ProjectStore, prefix: str, limit: int) -> list[tuple[Any, ...]]:
    """Rows (path, language, size, hash, tracked, modified, status, reason) below a path prefix, in path order."""
    return store.rows(SQL.files, {"prefix": prefix, "limit": limit})
