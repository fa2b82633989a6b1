"""The query service as surfaces ask it: flat requests, from which flags and parameters are derived.

They hold the same conditions as the filters of `records.query`, one field each. Times are Unix milliseconds.
"""

from typing import Annotated

from msgspec import Meta as Help

from backstory.records.base import Record
from backstory.records.session_name import SESSION

_QUERY = Help(description="what to look for", extra={"positional": True})
_CURSOR = Help(description="go on after an earlier page; implies --no-sync")
_NO_SYNC = Help(description="do not look for new entries first")
_MODE = Help(description="literal: the whole query is one phrase, all matches; relevance: ranked words")
_NO_EXPAND = Help(description="do not look for words like those that nothing holds")


class Narrowed(Record, frozen=True, kw_only=True):
    """Conditions on sessions; values of one flag are alternatives, `none` means "has none"."""

    id: Annotated[tuple[str, ...], Help(description="only these session ids")] = ()
    source: Annotated[tuple[str, ...], Help(description="only sessions of this agent")] = ()
    cwd: Annotated[tuple[str, ...], Help(description="only where the working directory is this, or none")] = ()
    project: Annotated[tuple[str, ...], Help(description="only where the working directory contains this")] = ()
    parent: Annotated[tuple[str, ...], Help(description="only sessions of this parent, or none")] = ()
    origin: Annotated[tuple[str, ...], Help(description="main, fork or subagent")] = ()
    availability: Annotated[tuple[str, ...], Help(description="live, present or missing")] = ()
    created_from: Annotated[int | None, Help(description="created at this time or later, in Unix milliseconds")] = None
    created_to: Annotated[int | None, Help(description="created at this time or earlier, in Unix milliseconds")] = None


Kinds = Annotated[tuple[str, ...], Help(description="only events of this kind")]
Roles = Annotated[tuple[str, ...], Help(description="user, assistant, tool or system")]
Surfaces = Annotated[tuple[str, ...], Help(description="current, shadowed or log-only")]
Tool = Annotated[tuple[str, ...], Help(description="only where the tool's name contains this")]
Path = Annotated[tuple[str, ...], Help(description="only where a named path contains this")]
From = Annotated[int | None, Help(description="from this number on")]
To = Annotated[int | None, Help(description="up to this number")]
Since = Annotated[int | None, Help(description="at this time or later, in Unix milliseconds")]
Until = Annotated[int | None, Help(description="at this time or earlier, in Unix milliseconds")]


class NarrowedEvents(Record, frozen=True, kw_only=True):
    """Conditions on events; values of one flag are alternatives."""

    kind: Kinds = ()
    role: Roles = ()
    surface: Surfaces = ()
    tool: Tool = ()
    path: Path = ()
    seq_from: From = None
    seq_to: To = None
    time_from: Since = None
    time_to: Until = None


class NarrowedBoth(Narrowed, frozen=True, kw_only=True):
    """Conditions on events and on their sessions; a struct has one base, so the events' are written out again."""

    kind: Kinds = ()
    role: Roles = ()
    surface: Surfaces = ()
    tool: Tool = ()
    path: Path = ()
    seq_from: From = None
    seq_to: To = None
    time_from: Since = None
    time_to: Until = None


class ListSessionsRequest(Narrowed, frozen=True, kw_only=True):
    """List sessions, the newest first."""

    limit: Annotated[int, Help(description="sessions on a page, 1 to 1000")] = 100
    cursor: Annotated[str | None, _CURSOR] = None
    no_sync: Annotated[bool, _NO_SYNC] = False


class ReadSessionRequest(Record, frozen=True, kw_only=True):
    """Read a session with all its events."""

    session: Annotated[str, SESSION]
    no_sync: Annotated[bool, _NO_SYNC] = False


class ListEventsRequest(NarrowedEvents, frozen=True, kw_only=True):
    """List the events of a session in order; with --text, those whose text holds it."""

    session: Annotated[str, SESSION]
    text: Annotated[tuple[str, ...], Help(description="only where the text holds this literally, in either case")] = ()
    documents: Annotated[bool, Help(description="only events with text, and the text")] = False
    limit: Annotated[int, Help(description="events on a page, 1 to 1000")] = 100
    cursor: Annotated[str | None, _CURSOR] = None
    no_sync: Annotated[bool, _NO_SYNC] = False


class ReadEventRequest(Record, frozen=True, kw_only=True):
    """Read an event with its neighbours."""

    session: Annotated[str, SESSION]
    seq: Annotated[int, Help(description="number of the event", extra={"positional": True})]
    before: Annotated[int, Help(description="events before it, 0 to 50")] = 0
    after: Annotated[int, Help(description="events after it, 0 to 50")] = 0
    no_sync: Annotated[bool, _NO_SYNC] = False


class ReadTitlesRequest(Record, frozen=True, kw_only=True):
    """Read the titles of sessions."""

    session: Annotated[tuple[str, ...], SESSION]
    no_sync: Annotated[bool, _NO_SYNC] = False


class TraceEventRequest(Record, frozen=True, kw_only=True):
    """Say what became of an event and where it comes from."""

    session: Annotated[str, SESSION]
    seq: Annotated[int, Help(description="number of the event", extra={"positional": True})]
    no_sync: Annotated[bool, _NO_SYNC] = False


class SearchSessionsRequest(NarrowedBoth, frozen=True, kw_only=True):
    """Find sessions by their strongest event."""

    query: Annotated[tuple[str, ...], _QUERY]
    mode: Annotated[str, _MODE] = "literal"
    limit: Annotated[int, Help(description="sessions on a page, 1 to 100")] = 20
    cursor: Annotated[str | None, _CURSOR] = None
    no_expand: Annotated[bool, _NO_EXPAND] = False
    no_sync: Annotated[bool, _NO_SYNC] = False


class SearchEventsRequest(NarrowedBoth, frozen=True, kw_only=True):
    """Find events, in one session or in all."""

    query: Annotated[tuple[str, ...], _QUERY]
    session: Annotated[str | None, Help(description="only in this session")] = None
    mode: Annotated[str, _MODE] = "literal"
    limit: Annotated[int, Help(description="events on a page, 1 to 100")] = 20
    cursor: Annotated[str | None, _CURSOR] = None
    no_expand: Annotated[bool, _NO_EXPAND] = False
    no_sync: Annotated[bool, _NO_SYNC] = False
