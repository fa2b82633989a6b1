"""The operations of the query service for surfaces: flat requests in, the service's own answers out.

A command brings the index up to date first, unless it goes on after a cursor; its cursors are durable, because each
command is an engine of its own.

Each function raises what the service's method of its name raises, and the searches `InvalidQueryError` for a mode that
does not exist.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from backstory.engine.indexing.index import BUDGET_MS, admitting, problems, sync
from backstory.engine.loading import load
from backstory.engine.open import Engine
from backstory.engine.sessions.narrow import strangers
from backstory.errors import InvalidQueryError
from backstory.index.look import Report
from backstory.records.filters import EntryFilter, SessionFilter
from backstory.records.query import (
    CursorScope,
    EventHits,
    EventsPage,
    EventTrace,
    EventWindow,
    ListEvents,
    ListSessions,
    Mode,
    SearchEvents,
    SearchSessions,
    SessionHits,
    SessionsPage,
    SessionTrace,
    SurfaceView,
    TitleResult,
    WholeSession,
)
from backstory.records.query_requests import (
    ListEventsRequest,
    ListSessionsRequest,
    Narrowed,
    NarrowedBoth,
    NarrowedEvents,
    ReadEventRequest,
    ReadSessionRequest,
    ReadTitlesRequest,
    SearchEventsRequest,
    SearchSessionsRequest,
    TraceEventRequest,
)

if TYPE_CHECKING:
    from backstory.engine.query.service import QueryService

Page = TypeVar("Page", SessionsPage, SessionHits, EventHits)
T = TypeVar("T")


class Question(Protocol):
    """A request that may forbid to look for new entries first."""

    @property
    def no_sync(self) -> bool:
        """Whether the answer is to be from what is indexed."""


def list_sessions(engine: Engine, request: ListSessionsRequest) -> SessionsPage:
    """A page of sessions."""
    asked = ListSessions(
        filters=_kin(request), limit=request.limit, cursor=request.cursor, cursor_scope=CursorScope.DURABLE
    )
    page = _answered(engine, request, lambda query: query.list_sessions(asked))
    return _warned(page, strangers(request.source))


def read_session(engine: Engine, request: ReadSessionRequest) -> WholeSession:
    """A session with all its events."""
    return _answered(engine, request, lambda query: query.read_session(request.session))


def list_events(engine: Engine, request: ListEventsRequest) -> EventsPage:
    """A page of events."""
    filters = (*_events(request), *(EntryFilter(text=text) for text in request.text))
    asked = ListEvents(
        session=request.session, filters=filters, documents=request.documents, limit=request.limit,
        cursor=request.cursor, cursor_scope=CursorScope.DURABLE,
    )  # fmt: skip
    return _answered(engine, request, lambda query: query.list_events(asked))


def read_event(engine: Engine, request: ReadEventRequest) -> EventWindow:
    """An event with its neighbours."""
    return _answered(
        engine, request,
        lambda query: query.read_event(request.session, request.seq, before=request.before, after=request.after),
    )  # fmt: skip


def read_surface(engine: Engine, request: ReadSessionRequest) -> SurfaceView:
    """What a model call made now would see."""
    return _answered(engine, request, lambda query: query.read_surface(request.session))


def read_titles(engine: Engine, request: ReadTitlesRequest) -> list[TitleResult]:
    """The titles of sessions."""
    return _answered(engine, request, lambda query: query.read_titles(request.session))


def trace_event(engine: Engine, request: TraceEventRequest) -> EventTrace:
    """The lineage of an event."""
    return _answered(engine, request, lambda query: query.trace_event(request.session, request.seq))


def trace_session(engine: Engine, request: ReadSessionRequest) -> SessionTrace:
    """The family of a session."""
    return _answered(engine, request, lambda query: query.trace_session(request.session))


def search_sessions(engine: Engine, request: SearchSessionsRequest) -> SessionHits:
    """A page of sessions by their strongest event."""
    asked = SearchSessions(
        query=" ".join(request.query), mode=_mode(request.mode), session_filters=_kin(request),
        event_filters=_events(request), limit=request.limit, cursor=request.cursor, expand=not request.no_expand,
        cursor_scope=CursorScope.DURABLE,
    )  # fmt: skip
    page = _answered(engine, request, lambda query: query.search_sessions(asked))
    return _warned(page, strangers(request.source) or tuple(_hints(engine, request, page, asked)))


def search_events(engine: Engine, request: SearchEventsRequest) -> EventHits:
    """A page of events."""
    asked = SearchEvents(
        query=" ".join(request.query), session=request.session, mode=_mode(request.mode),
        session_filters=_kin(request), filters=_events(request), limit=request.limit, cursor=request.cursor,
        expand=not request.no_expand, cursor_scope=CursorScope.DURABLE,
    )  # fmt: skip
    page = _answered(engine, request, lambda query: query.search_events(asked))
    return _warned(page, strangers(request.source) or tuple(_hints(engine, request, page, asked)))


def _hints(
    engine: Engine, request: Question, page: SessionHits | EventHits, asked: SearchSessions | SearchEvents
) -> list[str]:
    """Why a page is empty, and what would find something; of an index that is not complete nobody can say."""
    if page.items or page.partial or asked.cursor:
        return []

    def finds(other: SearchSessions | SearchEvents) -> bool:
        query = looked.query
        found = query.search_events(other) if isinstance(other, SearchEvents) else query.search_sessions(other)
        return bool(found.items)

    with engine.untouched(when=request.no_sync) as looked:
        hints: list[str] = load("engine.sessions.hints:unmatched")(looked, asked, finds, synced=not request.no_sync)
    return hints


def _warned(page: Page, warnings: tuple[str, ...]) -> Page:
    return msgspec.structs.replace(page, warnings=(*page.warnings, *warnings)) if warnings else page


def _answered(engine: Engine, request: Question, ask: "Callable[[QueryService], T]") -> T:
    """The answer over what is on disk now; what a pass over the disk left out is told in the answer.

    A page that goes on after a cursor is of the state of the first one, and so are its problems.
    """
    if request.no_sync or getattr(request, "cursor", None):
        with engine.untouched() as reader:
            return ask(reader.query)
    report = sync(engine, budget_ms=BUDGET_MS)
    with admitting(report):
        return _told(ask(engine.query), report)


def _told(answer: T, report: Report) -> T:
    """The answer with what a pass left out, as far as it has a place for that."""
    if not isinstance(answer, msgspec.Struct):
        return answer
    before = {name: getattr(answer, name) for name in ("partial", "problems") if name in answer.__struct_fields__}
    more = {
        "partial": report.partial,
        "problems": tuple(dict.fromkeys((*before.get("problems", ()), *problems(report)))),
    }
    return msgspec.structs.replace(answer, **{name: more[name] for name in before})


def _mode(name: str) -> Mode:
    try:
        return Mode(name)
    except ValueError as error:
        raise InvalidQueryError(f"there is no search mode {name!r}; known: {', '.join(Mode)}") from error


def _kin(request: Narrowed) -> tuple[SessionFilter, ...]:
    given = SessionFilter(
        ids=request.id or None, sources=request.source or None, cwds=_or_none(request.cwd),
        parents=_or_none(request.parent), origins=request.origin or None, availability=request.availability or None,
        created=_range(request.created_from, request.created_to), projects=request.project or None,
    )  # fmt: skip
    return () if given == SessionFilter() else (given,)


def _events(request: NarrowedEvents | NarrowedBoth) -> tuple[EntryFilter, ...]:
    given = EntryFilter(
        seq=_range(request.seq_from, request.seq_to), time=_range(request.time_from, request.time_to),
        kinds=request.kind or None, roles=request.role or None, surfaces=request.surface or None,
        paths=request.path or None, tools=request.tool or None,
    )  # fmt: skip
    return () if given == EntryFilter() else (given,)


def _or_none(values: tuple[str, ...]) -> tuple[str | None, ...] | None:
    return tuple(None if value == "none" else value for value in values) or None


def _range(low: int | None, high: int | None) -> tuple[int | None, int | None] | None:
    return None if low is None and high is None else (low, high)
