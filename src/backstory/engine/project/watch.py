"""Keeps a project's index warm: changed files are indexed as they change, with `watchfiles` where it is installed.

Without it the whole project is looked at twice a second, which costs one `lstat` a file.
Neighbours: `engine.project`.
"""

import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from backstory.engine.project.access import Project, index, refresh
from backstory.project.guards import excluded_path

MANY = 200
STEP_MS = 500


def watch(project: Project, *, seconds: float | None = None, cancelled: Callable[[], bool]) -> tuple[int, int]:
    """Runs until `cancelled` or for `seconds`; the rounds made and the files indexed."""
    end = None if seconds is None else time.monotonic() + seconds
    report = index(project, cancelled=cancelled)
    rounds, refreshed = 1, report.indexed
    for paths in _changes(project.root, lambda: cancelled() or (end is not None and time.monotonic() >= end)):
        rounds += 1
        if paths is None or len(paths) > MANY or any(path.endswith(".gitignore") for path in paths):
            refreshed += index(project, cancelled=cancelled).indexed
        elif paths:
            refreshed += sum(outcome == "indexed" for outcome in refresh(project, paths).values())
    return rounds, refreshed


def _changes(root: Path, done: Callable[[], bool]) -> Iterator[list[str] | None]:
    """Relative paths that changed, in rounds; None stands for anything."""
    watcher = _watcher()
    if watcher is None:
        while not done():
            time.sleep(STEP_MS / 1000)
            yield None
        return
    for changes in watcher(root, rust_timeout=STEP_MS, yield_on_timeout=True, recursive=True, watch_filter=None):
        paths = {str(Path(path).relative_to(root)) for _, path in changes if Path(path).is_relative_to(root)}
        yield sorted(path for path in paths if excluded_path(path) is None and not (root / path).is_dir())
        if done():
            return


def _watcher() -> Callable[..., Any] | None:
    """The optional dependency, if it is there."""
    try:
        found: Callable[..., Any] = import_module("watchfiles").watch
    except ImportError:
        return None
    return found
