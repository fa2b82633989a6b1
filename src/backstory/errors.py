"""Every error that Backstory raises on purpose, drawn as one tree.

BackstoryError
├── UsageError                 what was asked for makes no sense
│   ├── UnknownSessionError
│   ├── AmbiguousSessionError
│   ├── AmbiguousNameError
│   ├── UnknownEntryError
│   ├── UnknownSourceError
│   ├── UnknownTargetError
│   ├── InvalidQueryError
│   ├── InvalidFilterError
│   ├── InvalidLimitError
│   ├── InvalidWindowError
│   ├── InvalidCursorError
│   ├── StaleCursorError
│   ├── InvalidConfigError
│   ├── InvalidTextError
│   └── SearchDisabledError
├── SourceError                something outside cannot be read as it should be
│   ├── UnreadableSourceError
│   ├── CorruptSessionError
│   ├── InvalidSurfaceError
│   ├── InvalidLineageError
│   └── SourceConflictError
├── ProjectError               a project may not or cannot be read
│   ├── UntrustedProjectError
│   └── InvalidProjectError
├── DatabaseError              our own derived files
│   ├── ForeignDatabaseError
│   ├── NewerDatabaseError
│   ├── CorruptDatabaseError
│   ├── ReadOnlyDatabaseError
│   ├── LockedDatabaseError
│   ├── FullDiskError
│   └── IndexFailedError
└── CancelledError             the caller, a deadline or a signal stopped the work

Each class has a stable `code`, and `advice` where a person can do something about it. A surface maps the family to its
own status exactly once.
"""

LONGEST_NAME = 200


def quoted(name: object) -> str:
    """A name that was typed, in quotes; cut where nobody would read on."""
    told = repr(name)
    return told if len(told) <= LONGEST_NAME else f"{told[:LONGEST_NAME]}…"


class BackstoryError(Exception):
    """Base of all errors raised on purpose; `code` is stable and safe to match on."""

    code = "INTERNAL"
    advice = ""

    def __init__(self, *args: object, advice: str | None = None) -> None:
        super().__init__(*args)
        if advice is not None:
            self.advice = advice

    @property
    def helpful(self) -> str:
        """The message, with what can be done about it on a command line."""
        return f"{self}; {self.advice}" if self.advice else str(self)


class UsageError(BackstoryError):
    """The request itself is wrong."""

    code = "USAGE"


class UnknownSessionError(UsageError):
    """No session has this id, id prefix or `source:id`."""

    code = "SESSION_NOT_FOUND"
    advice = "backstory sessions lists those that are known"

    def __init__(self, name: str) -> None:
        super().__init__(f"no session is called {quoted(name)}")


# Of those that a name may mean so many are listed.
MOST_NAMED = 5
# What helps where several files hold different sessions of one id.
BY_FILE = "name the session by the path of its file"


class AmbiguousSessionError(UsageError):
    """A session id or prefix names more than one session."""

    code = "SESSION_AMBIGUOUS"
    advice = "write more of the id, or SOURCE:ID"

    def __init__(self, name: str, matches: list[str], *, advice: str | None = None) -> None:
        super().__init__(f"{quoted(name)} names {len(matches)} sessions: {_some(matches)}", advice=advice)


class AmbiguousNameError(UsageError):
    """More than one id of an entry, manifest, artifact, pin or memory begins so."""

    code = "NAME_AMBIGUOUS"
    advice = "write more of the id"

    def __init__(self, name: str, noun: str, matches: list[str]) -> None:
        super().__init__(f"more than one {noun} begins with {quoted(name)}: {_some(matches)}")


def _some(matches: list[str]) -> str:
    return ", ".join(matches[:MOST_NAMED]) + (", …" if len(matches) > MOST_NAMED else "")


class UnknownEntryError(UsageError):
    """The session has no such entry."""

    code = "EVENT_NOT_FOUND"
    advice = "backstory show SESSION lists its entries"

    def __init__(self, session: str, entry: str) -> None:
        listed = f"backstory show {session} lists its entries"
        super().__init__(f"session {session} has no entry {quoted(entry)}", advice=listed)


class UnknownSourceError(UsageError):
    """No source of this name is registered."""

    code = "SOURCE_NOT_FOUND"

    def __init__(self, name: str, known: list[str]) -> None:
        self.reason = f"no source is called {quoted(name)}"
        super().__init__(f"{self.reason}; known: {', '.join(known)}")


class UnknownTargetError(UsageError):
    """A project has no file and no declaration of this name, or does not show it."""

    code = "TARGET_NOT_FOUND"


class InvalidQueryError(UsageError):
    """The query text cannot be searched for."""

    code = "INVALID_QUERY"


class InvalidFilterError(UsageError):
    """A filter holds an unknown word, an impossible range or too many values."""

    code = "INVALID_FILTER"


class InvalidLimitError(UsageError):
    """A page limit is outside its bounds."""

    code = "INVALID_LIMIT"


class InvalidWindowError(UsageError):
    """The window around an entry is outside its bounds."""

    code = "INVALID_WINDOW"


class InvalidCursorError(UsageError):
    """A cursor is damaged or belongs to another request, scope, instance or database."""

    code = "INVALID_CURSOR"
    advice = "ask again without it"


class StaleCursorError(UsageError):
    """The indexed data changed since the cursor was made."""

    code = "STALE_CURSOR"
    advice = "ask again without it"


class InvalidConfigError(UsageError):
    """A setting or option has an impossible value."""

    code = "INVALID_CONFIG"


class InvalidTextError(UsageError, ValueError):
    """A text holds half of a surrogate pair, which no text on disk holds and none can be written with."""

    code = "INVALID_TEXT"

    def __init__(self) -> None:
        super().__init__("a text must not hold half of a surrogate pair")


class SearchDisabledError(UsageError):
    """Full-text search is switched off in this engine."""

    code = "SEARCH_DISABLED"


class SourceError(BackstoryError):
    """Something outside Backstory cannot be read as it should be."""

    code = "SOURCE_FAILED"


class UnreadableSourceError(SourceError):
    """A file or folder of a source cannot be opened or read."""

    code = "PERSISTENCE_FAILED"

    def __init__(self, path: str, reason: str, *, advice: str | None = None) -> None:
        self.path = path
        self.reason = reason
        super().__init__(f"{path}: {reason}", advice=advice)


class CorruptSessionError(SourceError):
    """A whole session is damaged beyond reading; `line` is 1-based, 0 for the file as a whole.

    For sources of third parties, and one of the codes that programs know: our own sources tell damage in `problems`.
    """

    code = "CORRUPT_SESSION"

    def __init__(self, path: str, line: int, reason: str) -> None:
        self.path = path
        self.line = line
        self.reason = reason
        super().__init__(f"{path}:{line}: {reason}" if line else f"{path}: {reason}")


class InvalidSurfaceError(SourceError):
    """Surface operations of a session contradict each other."""

    code = "INVALID_SURFACE"


class InvalidLineageError(SourceError):
    """The ancestry of a session contains itself."""

    code = "INVALID_LINEAGE"


class SourceConflictError(SourceError):
    """A live session and its stored log disagree about a fact that never changes."""

    code = "SOURCE_CONFLICT"


class ProjectError(BackstoryError):
    """A project may not or cannot be read."""

    code = "PROJECT_FAILED"


class UntrustedProjectError(ProjectError):
    """Nobody has said that this project may be read."""

    code = "UNTRUSTED"

    def __init__(self, root: str) -> None:
        super().__init__(f"{root} is not trusted; run: backstory project trust --root {root}")


class InvalidProjectError(ProjectError):
    """A folder cannot be a project (missing, the file system root, a home folder)."""

    code = "INVALID_PROJECT"
    advice = "stand in another folder, or name one"

    def __init__(self, root: str, reason: str) -> None:
        super().__init__(f"{root} cannot be a project: {reason}")


class DatabaseError(BackstoryError):
    """One of our own derived databases cannot be used."""

    code = "DATABASE_FAILED"


class ForeignDatabaseError(DatabaseError):
    """The file is a database of another program; nothing in it was touched."""

    code = "DATABASE_FOREIGN"
    advice = "move that file away, or set BACKSTORY_HOME to another folder"


class NewerDatabaseError(DatabaseError):
    """The file was written by a newer Backstory; nothing in it was touched."""

    code = "DATABASE_NEWER"
    advice = "update Backstory, or set BACKSTORY_HOME to another folder"


class CorruptDatabaseError(DatabaseError):
    """The file is damaged; `backstory rebuild` makes a new one."""

    code = "DATABASE_CORRUPT"
    advice = "backstory rebuild makes a new one"


class ReadOnlyDatabaseError(DatabaseError):
    """The data folder or file cannot be written."""

    code = "DATABASE_READ_ONLY"
    advice = "check the owner and mode of the folder, or set BACKSTORY_HOME to another one"


class LockedDatabaseError(DatabaseError):
    """Another process kept the write lock for too long; carries metadata only, never SQL or values."""

    code = "DATABASE_LOCKED"
    advice = "another process is writing: try again"

    def __init__(self, operation: str, attempts: int, waited_ms: int) -> None:
        tries = f"{attempts} attempts" if attempts != 1 else "1 attempt"
        super().__init__(f"{operation}: the database stayed locked through {tries} in {waited_ms} ms")


class FullDiskError(DatabaseError):
    """The disk has no room left; the open transaction was rolled back."""

    code = "DISK_FULL"
    advice = "make room and try again"


class IndexFailedError(DatabaseError):
    """Indexing failed inside the database for a reason without a class of its own."""

    code = "INDEX_FAILED"
    advice = "backstory health says whether the index is sound, and backstory rebuild makes a new one"


class CancelledError(BackstoryError):
    """The work was stopped by its caller, a deadline or a signal; nothing half done was kept."""

    code = "ABORTED"
