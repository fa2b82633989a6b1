"""The one map from errors and answers to exit codes.

0 done, also when nothing matched; 1 internal error; 2 usage; 3 some source unreadable, results still given;
4 database refused, corrupt or read-only; 5 locked; 6 no space; 7 something is wrong with Pi; 130 interrupted.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from backstory.errors import (
    BackstoryError,
    CancelledError,
    DatabaseError,
    FullDiskError,
    LockedDatabaseError,
    ProjectError,
    SourceError,
    UsageError,
)

DONE = 0
INTERNAL = 1
USAGE = 2
SOME_UNREADABLE = 3
CORRUPT = 4
LOCKED = 5
FULL = 6
UNFIT = 7
INTERRUPTED = 130

CODES: tuple[tuple[type[BackstoryError], int], ...] = (
    (UsageError, USAGE),
    (ProjectError, USAGE),
    (SourceError, SOME_UNREADABLE),
    (LockedDatabaseError, LOCKED),
    (FullDiskError, FULL),
    (DatabaseError, CORRUPT),
    (CancelledError, INTERRUPTED),
    (BackstoryError, INTERNAL),
)

# What a failed check means in the commands that check something.
FAILED: Mapping[str, int] = {"health": CORRUPT, "pi doctor": UNFIT}


def answered(operation: str, answer: Any, problems: Sequence[object]) -> int:
    """The exit code of an operation that gave its answer, with what could not be read for it."""
    if problems:
        return SOME_UNREADABLE
    return FAILED.get(operation, DONE) if getattr(answer, "status", None) == "fail" else DONE


def exit_code(error: BackstoryError) -> int:
    """The exit code of an error, by the first family it belongs to."""
    return next(code for family, code in CODES if isinstance(error, family))
