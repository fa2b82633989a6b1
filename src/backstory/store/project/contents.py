"""What a project's index holds, counted and listed, for people who ask about it. Neighbour: `engine.project`."""

from typing import Any

from backstory.store.project.database import ProjectStore
from backstory.store.statements import load

SQL = load("project/contents")


def counts(store: ProjectStore) -> tuple[int, int, int, int]:
    """Numbers of current, stale, excluded and modified files."""
    current, stale, excluded, modified = store.rows(SQL.counts)[0]
    return current, stale, excluded, modified


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
