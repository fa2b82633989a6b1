"""What the query service is asked and what it answers: typed requests, records and pages.

Filters come in arrays: all of an array must hold, values of one field are alternatives, an empty list of values matches
nothing. Times are Unix milliseconds. No answer carries a score.
"""

from enum import StrEnum

from backstory.records.base import Record
from backstory.records.filters import EntryFilter, SessionFilter
from backstory.records.problem import Problem
from backstory.records.summary import SummaryDetails


class Mode(StrEnum):
    """How text is searched for."""

    LITERAL = "literal"  # the whole query is one phrase; every match is found
    RELEVANCE = "relevance"  # words are weighed; a bounded set of candidates is ranked


class CursorScope(StrEnum):
    """How long a cursor lives."""

    INSTANCE = "instance"  # as long as the engine that gave it
    DURABLE = "durable"  # as long as the database is unchanged, across processes


class QueryOptions(Record, frozen=True):
    """Bounds of one service. `search` False switches full-text search off; reads and traces go on.

    With `refresh_ms` every call first reads what is new on disk, if that was not done within so many milliseconds.
    """

    default_limit: int = 20
    max_limit: int = 100
    max_listed: int = 1_000
    snippet_chars: int = 240
    read_window_max: int = 50
    connections: int = 8
    refresh_ms: int | None = None
    search: bool = True


class ListSessions(Record, frozen=True, kw_only=True):
    """Sessions, the newest first."""

    filters: tuple[SessionFilter, ...] = ()
    limit: int = 100
    cursor: str | None = None
    cursor_scope: CursorScope = CursorScope.INSTANCE


class ListEvents(Record, frozen=True, kw_only=True):
    """Events of one session in order; `documents` asks for those with text, and for the text."""

    session: str
    filters: tuple[EntryFilter, ...] = ()
    documents: bool = False
    limit: int = 100
    cursor: str | None = None
    cursor_scope: CursorScope = CursorScope.INSTANCE


class SearchSessions(Record, frozen=True, kw_only=True):
    """Sessions by their strongest event. `expand` lets relevance look for words like those that nothing holds."""

    query: str
    mode: Mode = Mode.LITERAL
    expand: bool = True
    session_filters: tuple[SessionFilter, ...] = ()
    event_filters: tuple[EntryFilter, ...] = ()
    limit: int | None = None
    cursor: str | None = None
    cursor_scope: CursorScope = CursorScope.INSTANCE


class SearchEvents(Record, frozen=True, kw_only=True):
    """Events of one session, or of all sessions when none is named."""

    query: str
    session: str | None = None
    mode: Mode = Mode.LITERAL
    expand: bool = True
    session_filters: tuple[SessionFilter, ...] = ()
    filters: tuple[EntryFilter, ...] = ()
    limit: int | None = None
    cursor: str | None = None
    cursor_scope: CursorScope = CursorScope.INSTANCE


class SessionRecord(Record, frozen=True):
    """A session's header and where it is: attached by a running host, stored, or stored while its file is gone.

    `path` is the file it is read from, None of a live one. Two files may hold sessions of one id; the path tells them
    apart, and is good as a name where the id is not.
    """

    source: str
    id: str
    created: int | None
    updated: int | None
    cwd: str | None
    parent: str | None
    origin: str
    version: str | None
    title: str | None
    entries: int
    seed_length: int | None
    delegation_depth: int
    agent_preset: str | None
    live: bool
    stored: bool
    missing: bool
    path: str | None


class EventRecord(Record, frozen=True):
    """One event without its text; `kind` is its type, `source` and `session` name its session."""

    session: str
    source: str
    seq: int
    kind: str
    role: str | None
    time: int | None
    surface: str
    tool: str | None
    entry_id: str | None


class Event(EventRecord, frozen=True):
    """One event with its searchable text; empty when it has none."""

    text: str


class EventHit(EventRecord, frozen=True):
    """A matching event with a short plain piece of its text around the match.

    `path` is the file that its session is read from, None of a live one.
    """

    snippet: str
    path: str | None


class SessionHit(Record, frozen=True):
    """A matching session with its strongest event."""

    session: SessionRecord
    best: EventHit


class SessionsPage(Record, frozen=True):
    """A page of a listing of sessions; `warnings` name conditions that nothing can meet.

    Here and in the answers below `partial` says that not everything new on disk was read in time, and `problems` what
    could not be read and which sessions were left out.
    """

    items: tuple[SessionRecord, ...]
    next_cursor: str | None = None
    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()
    partial: bool = False


class EventsPage(Record, frozen=True):
    """A page of a listing of events; with `documents` they carry their text."""

    session: SessionRecord
    items: tuple[EventRecord, ...]
    next_cursor: str | None = None
    problems: tuple[Problem, ...] = ()
    partial: bool = False


class SessionHits(Record, frozen=True):
    """A page of matching sessions. `truncated`: more matched than were ranked, in relevance mode only.

    `warnings` say how the query was read.
    """

    items: tuple[SessionHit, ...]
    next_cursor: str | None = None
    truncated: bool = False
    warnings: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    partial: bool = False


class EventHits(Record, frozen=True):
    """A page of matching events; `session` is the one that was searched, of the same state as the events."""

    items: tuple[EventHit, ...]
    session: SessionRecord | None = None
    next_cursor: str | None = None
    truncated: bool = False
    warnings: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    partial: bool = False


class WholeSession(Record, frozen=True):
    """A session with all its events."""

    session: SessionRecord
    events: tuple[Event, ...]
    partial: bool = False


class SurfaceView(Record, frozen=True):
    """What a model call made now would see, in model order; `through` is the last seq looked at, None when empty.

    `problems` tells of operations of the log that contradict each other and took only what they could.
    """

    session: SessionRecord
    through: int | None
    events: tuple[Event, ...]
    problems: tuple[Problem, ...] = ()
    partial: bool = False


class EventWindow(Record, frozen=True):
    """An event with its surroundings, clipped to the log."""

    session: SessionRecord
    target: int
    events: tuple[Event, ...]
    start: int
    end: int
    partial: bool = False


class EventTrace(Record, frozen=True):
    """What became of an event and where it comes from, as seqs; `chain` leads to what a model sees instead.

    An event that was taken away without anything in its stead has no chain. Summaries come from what they stand for,
    where their log tells that; `details` is what it tells of such a target.
    """

    session: SessionRecord
    target: EventRecord
    replaced_by: int | None
    chain: tuple[int, ...]
    replaced: tuple[int, ...]
    sources: tuple[int, ...]
    derived: tuple[int, ...]
    details: SummaryDetails | None = None
    partial: bool = False


class Branch(Record, frozen=True):
    """A descendant with its own descendants."""

    session: SessionRecord
    descendants: tuple["Branch", ...]


class SessionTrace(Record, frozen=True):
    """The family of a session: ancestors from near to far, descendants as a tree.

    When an ancestor is unknown, `complete` is false, `missing_parent` names it and there is no root.
    """

    target: SessionRecord
    ancestors: tuple[SessionRecord, ...]
    descendants: tuple[Branch, ...]
    complete: bool
    root: SessionRecord | None
    missing_parent: str | None
    partial: bool = False


class Title(Record, frozen=True):
    """A session's title: `seq` and `time` of the event that set it, None when it was derived from the first prompt."""

    session: str
    title: str | None
    seq: int | None = None
    time: int | None = None


class TitleResult(Record, frozen=True):
    """One answer of a batch: a title, or the code of the error that stood in its way."""

    session: str
    title: Title | None
    error: str | None = None
