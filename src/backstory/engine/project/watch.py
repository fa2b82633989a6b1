"""Keeps a project's index warm: changed files are indexed as they change, with `watchfiles` where it is installed.

Without it the whole project is looked at twice a second, which costs one `lstat` a file.
Neighbours: `engine.project`.
"""

import os
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from backstory.engine.project.access import Project, index, refresh
from backstory.project.guards import excluded_path
from backstory.project.walk import IGNORE_FILES

MANY = 200
STEP_MS = 500


def watch(project: Project, *, seconds: float | None = None, cancelled: Callable[[], bool]) -> tuple[int, int]:
    """Runs until `cancelled` or for `seconds`; the rounds made and the files indexed.

    Raises:
        InvalidProjectError: the folder is gone.
        UntrustedProjectError, DatabaseError: as they say.
    """
    end = None if seconds is None else time.monotonic() + seconds
    report = index(project, cancelled=cancelled)
    rounds, refreshed = 1, report.indexed
    for paths in _changes(project.root, lambda: cancelled() or (end is not None and time.monotonic() >= end)):
        rounds += 1
        refreshed += _followed(project, paths, cancelled)
    return rounds, refreshed


def _followed(project: Project, paths: list[str] | None, cancelled: Callable[[], bool]) -> int:
    """Brings the index up to date with changed paths, None for any; how many files were indexed."""
    if paths is None or len(paths) > MANY or any(path.rpartition("/")[2] in IGNORE_FILES for path in paths):
        return index(project, cancelled=cancelled).indexed
    outcome = refresh(project, paths) if paths else {}
    indexed = sum(told == "indexed" for told in outcome.values())
    # What is gone and was no file may have been a folder of files.
    if any(told == "skipped" and not os.path.lexists(project.root / path) for path, told in outcome.items()):
        indexed += index(project, cancelled=cancelled).indexed
    return indexed


def _changes(root: Path, done: Callable[[], bool]) -> Iterator[list[str] | None]:
    """Relative paths that changed, in rounds; None stands for anything."""
    watcher = notifier()
    if watcher is None:
        while not done():
            time.sleep(STEP_MS / 1000)
            yield None
        return
    for changes in watcher(root, rust_timeout=STEP_MS, yield_on_timeout=True, recursive=True, watch_filter=None):
        paths = {str(Path(path).relative_to(root)) for _, path in changes if Path(path).is_relative_to(root)}
        kept = sorted(path for path in paths if excluded_path(path) is None)
        # Of a folder that was moved here nobody tells what is in it.
        yield None if any((root / path).is_dir() for path in kept) else kept
        if done():
            return


def notifier() -> Callable[..., Any] | None:
    """The optional dependency, if it is there."""
    try:
        found: Callable[..., Any] = import_module("watchfiles").watch
    except ImportError:
        return None
    return found
