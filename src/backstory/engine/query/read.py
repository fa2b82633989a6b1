"""Exact reads: sessions, events and titles, as they stand in one view."""

from collections.abc import Sequence

from backstory.dialogue import active
from backstory.dialogue import surface as surfaces
from backstory.engine.query import filters
from backstory.engine.query.view import QueryView
from backstory.errors import (
    BackstoryError,
    InvalidLimitError,
    InvalidSurfaceError,
    InvalidWindowError,
    UnknownEntryError,
)
from backstory.records.node import Node
from backstory.records.paging import Slice
from backstory.records.problem import Problem
from backstory.records.query import (
    Event,
    EventRecord,
    EventsPage,
    EventWindow,
    ListEvents,
    ListSessions,
    SessionsPage,
    SurfaceView,
    Title,
    TitleResult,
    WholeSession,
)
from backstory.store import query as store
from backstory.store.query import KeyedSession
from backstory.store.where import Clause

BATCH = 2_000


def sessions(view: QueryView, request: ListSessions) -> SessionsPage:
    """A page of sessions, newest first."""
    limit = _limit(request.limit, view.options.max_listed)
    where = filters.sessions(request.filters)
    asked = (filters.canonical(request.filters), limit)
    pages = view.pages("list-sessions", request.cursor_scope, view.corpus, asked, limit)
    part = pages.part(request.cursor)
    found = [one.session for one in store.listed(view.history, where, part)]
    return SessionsPage(tuple(found[:limit]), pages.following(part, found), view.problems)


def events(view: QueryView, request: ListEvents) -> EventsPage:
    """A page of the events of a session, in order."""
    limit = _limit(request.limit, view.options.max_listed)
    where = filters.entries(request.filters, scan=True)
    found = view.session(request.session)
    asked = (found.session.source, found.session.id, filters.canonical(request.filters), request.documents, limit)
    pages = view.pages("list-events", request.cursor_scope, view.state(found), asked, limit)
    part = pages.part(request.cursor)
    items: Sequence[EventRecord]
    if filters.patterns(request.filters):
        items = _scanned(view, found.key, where, request, part.offset + part.limit)[part.offset :]
    elif request.documents:
        items = store.events(view.history, found.key, where, part, documents=True)
    else:
        items = store.records(view.history, found.key, where, part)
    return EventsPage(found.session, tuple(items[:limit]), pages.following(part, items), view.problems)


def _scanned(view: QueryView, key: int, where: Clause, request: ListEvents, wanted: int) -> list[EventRecord]:
    """The first events whose text matches every text clause."""
    patterns = filters.patterns(request.filters)
    found: list[Event] = []
    low = 0
    while len(found) < wanted:
        batch = store.events(view.history, key, where, Slice(0, BATCH), low=low, documents=True)
        found += [one for one in batch if all(pattern.search(one.text) for pattern in patterns)]
        if len(batch) < BATCH:
            break
        low = batch[-1].seq + 1
    if request.documents:
        return list(found[:wanted])
    return [record(one) for one in found[:wanted]]


def record(event: EventRecord) -> EventRecord:
    """An event without its text."""
    return EventRecord(
        event.session, event.source, event.seq, event.kind, event.role, event.time, event.surface, event.tool,
        event.entry_id,
    )  # fmt: skip


def whole(view: QueryView, name: str) -> WholeSession:
    """A session with everything in it."""
    found = view.session(name)
    return WholeSession(found.session, tuple(store.events(view.history, found.key)))


def window(view: QueryView, name: str, seq: int, *, before: int, after: int) -> EventWindow:
    """An event with its neighbours, clipped to the log.

    Raises:
        InvalidWindowError: a side is outside 0 to `read_window_max`.
        UnknownEntryError: there is no such event.
    """
    most = view.options.read_window_max
    if not all(whole_number(side) and 0 <= side <= most for side in (before, after)):
        raise InvalidWindowError(f"a window reaches 0 to {most} events to either side")
    found = view.session(name)
    if not whole_number(seq):
        raise UnknownEntryError(found.session.id, str(seq))
    events_ = store.around(view.history, found.key, seq, before=before, after=after)
    if not events_:
        raise UnknownEntryError(found.session.id, str(seq))
    return EventWindow(found.session, seq, tuple(events_), events_[0].seq, events_[-1].seq)


def surface(view: QueryView, name: str) -> SurfaceView:
    """What a model call made now would see."""
    found = view.session(name)
    shape, rules = store.shape(view.history, found.key)
    nodes = store.nodes(view.history, found.key)
    order = active.context(nodes, shape=shape, rules=rules)
    events_ = {one.seq: one for one in store.events(view.history, found.key)}
    seen = tuple(events_[seq] for seq in order)
    problems = _contradictions(found, nodes, shape, rules)
    return SurfaceView(found.session, store.last_seq(view.history, found.key), seen, problems)


def _contradictions(found: KeyedSession, nodes: Sequence[Node], shape: str, rules: str) -> tuple[Problem, ...]:
    """That an operation refers to what no model sees any more; the first one is told."""
    try:
        surfaces.fold(nodes, shape=shape, rules=rules, strict=True)
    except InvalidSurfaceError as error:
        return (Problem(found.path or f"{found.session.source}:{found.session.id}", f"{error.code}: {error}"),)
    return ()


def title(view: QueryView, name: str) -> Title:
    """The title of a session and the event that set it."""
    found = view.session(name)
    for seq, time, text in store.titles(view.history, found.key):
        return Title(found.session.id, text, seq, time)
    return Title(found.session.id, found.session.title)


def titles(view: QueryView, names: Sequence[str]) -> list[TitleResult]:
    """The titles of several sessions, each name once; one that fails costs the others nothing."""
    results = []
    for name in dict.fromkeys(names):
        try:
            results.append(TitleResult(name, title(view, name)))
        except BackstoryError as error:
            results.append(TitleResult(name, None, error.code))
    return results


def _limit(given: int, most: int) -> int:
    if not whole_number(given) or not 1 <= given <= most:
        raise InvalidLimitError(f"a page holds 1 to {most} items, not {given}")
    return given


def whole_number(value: object) -> bool:
    """Whether a value that came from outside is an integer, as its type promises."""
    return isinstance(value, int) and not isinstance(value, bool)
