"""The newest ancestors of HEAD in a project's database: messages for full text, touched paths, and how recent each is.

A path's recency is ln(1 + sum of 0.5 ** (age / 30)) over the commits that touch it, an age being counted in commits;
commits of more than 30 paths say nothing about any one of them. Neighbours: `index.project_git` writes, ranking reads.
"""

import math
from collections import defaultdict
from collections.abc import Sequence

from backstory.store.project.database import ProjectStore
from backstory.store.statements import load
from backstory.text.parts import camel_parts

SQL = load("project/commits")
MOST_COMMITS = 1000
MOST_PATHS = 30
HALF_LIFE = 30
MESSAGE_CHARS = 8000


def append(
    store: ProjectStore,
    commits: Sequence[tuple[str, str, Sequence[str]]],
    moved: Sequence[tuple[str, str]] = (),
    *,
    afresh: bool,
) -> None:
    """Adds (hash, message, paths) of commits given newest first, after all known ones or in place of them.

    What the known ones touched takes its new name from `moved`, pairs of (before, after) in the order of time.
    """
    execute = store.connection.execute
    if afresh:
        execute(SQL.clear)
    store.connection.executemany(SQL.move, moved)
    newest = store.rows(SQL.newest)[0][0]
    for offset, (name, message, paths) in enumerate(reversed(commits), 1):
        number = newest + offset
        execute(SQL.put, (number, name, len(paths)))
        if 0 < len(paths) <= MOST_PATHS:
            text = message[:MESSAGE_CHARS]
            execute(SQL.put_message, (number, f"{text} {camel_parts(text)}"))
            store.connection.executemany(SQL.put_path, ((number, path) for path in paths if _sound(path)))
    execute(SQL.prune, {"last": newest + len(commits) - MOST_COMMITS})
    _refresh_recency(store)


def _sound(path: str) -> bool:
    return "\ufffd" not in path


def _refresh_recency(store: ProjectStore) -> None:
    newest = store.rows(SQL.newest)[0][0]
    sums: dict[str, float] = defaultdict(float)
    for number, path in store.rows(SQL.touched):
        sums[path] += 0.5 ** ((newest - number) / HALF_LIFE)
    store.connection.execute("DELETE FROM recency")
    store.connection.executemany(SQL.put_recency, ((path, math.log1p(total)) for path, total in sums.items()))
