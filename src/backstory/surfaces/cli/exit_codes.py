"""The one map from errors to exit codes.

0 done, also when nothing matched; 1 internal error; 2 usage; 3 some source unreadable, results still given;
4 database refused, corrupt or read-only; 5 locked; 6 no space; 130 interrupted.
"""

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
SOME_UNREADABLE = 3
INTERRUPTED = 130

CODES: tuple[tuple[type[BackstoryError], int], ...] = (
    (UsageError, 2),
    (ProjectError, 2),
    (SourceError, 3),
    (LockedDatabaseError, 5),
    (FullDiskError, 6),
    (DatabaseError, 4),
    (CancelledError, 130),
    (BackstoryError, 1),
)


def exit_code(error: BackstoryError) -> int:
    """The exit code of an error, by the first family it belongs to."""
    return next(code for family, code in CODES if isinstance(error, family))
