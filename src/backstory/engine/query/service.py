"""The query service: exact reads, filters, traces and full-text search over stored and live sessions, from any thread.

Each call looks at one consistent state, through a connection of its own, and can be stopped by a token at any point.
What the calls mean is in the modules beside this one (`read`, `trace`, `search`); this one owns the
connections, the live overlay and the places looked at.
"""

import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager

from backstory.engine.outgoing import outgoing
from backstory.engine.query import read as query_read
from backstory.engine.query import search as query_search
from backstory.engine.query import trace as query_trace
from backstory.engine.query.mounts import Mounts, Surroundings
from backstory.engine.query.view import QueryView
from backstory.errors import (
    FullDiskError,
    InvalidConfigError,
    LockedDatabaseError,
    ReadOnlyDatabaseError,
    SearchDisabledError,
)
from backstory.index.extract import words
from backstory.index.live import LiveSessions
from backstory.index.look import Report
from backstory.records.paging import fingerprint
from backstory.records.problem import Problem
from backstory.records.query import (
    EventHits,
    EventsPage,
    EventTrace,
    EventWindow,
    ListEvents,
    ListSessions,
    Mode,
    QueryOptions,
    SearchEvents,
    SearchSessions,
    SessionHits,
    SessionsPage,
    SessionTrace,
    SurfaceView,
    Title,
    TitleResult,
    WholeSession,
)
from backstory.sources.discover import Place
from backstory.store.cancel import NEVER, Token
from backstory.store.history import History, open_history
from backstory.store.live import Overlay
from backstory.store.pool import Pool

MEMORY = ":memory:"


class QueryService:
    """All queries over one history database. Methods may be called from several threads at once.

    Every method raises CancelledError once its token is cancelled or past its deadline, errors of the database as
    DatabaseError, and UsageError once the service was closed. `path` may be `:memory:`; everything then runs in turn
    on one connection.
    """

    def __init__(
        self,
        path: str,
        live: LiveSessions,
        places: Iterable[Place] = (),
        options: QueryOptions = QueryOptions(),  # noqa: B008  (a frozen value)
        *,
        shared: Callable[[], History] | None = None,
        around: Surroundings = Surroundings(),  # noqa: B008  (a frozen value)
    ) -> None:
        _check(options)
        self.options = options
        self._path = path
        self._live = live
        self._name = uuid.uuid4().hex
        if path == MEMORY and shared is None:
            shared = _once(lambda: open_history(MEMORY))
        self._shared = shared
        self.pool = Pool(path, options.connections, shared)
        self._overlays: dict[int, Overlay] = {}
        self._hindered: tuple[Problem, ...] = ()
        self._mounts = Mounts(places, self._writer, around)

    def list_sessions(self, request: ListSessions = ListSessions(), token: Token | None = None) -> SessionsPage:  # noqa: B008
        """Sessions, newest first, filtered and in pages."""
        with self._view(token) as view:
            return outgoing(query_read.sessions(view, request))

    def read_session(self, session: str, token: Token | None = None) -> WholeSession:
        """A session with all its events."""
        with self._view(token) as view:
            return outgoing(query_read.whole(view, session))

    def list_events(self, request: ListEvents, token: Token | None = None) -> EventsPage:
        """Events of a session in order, filtered and in pages; text clauses scan."""
        with self._view(token) as view:
            return outgoing(query_read.events(view, request))

    def read_event(
        self, session: str, seq: int, *, before: int = 0, after: int = 0, token: Token | None = None
    ) -> EventWindow:
        """An event with its neighbours."""
        with self._view(token) as view:
            return outgoing(query_read.window(view, session, seq, before=before, after=after))

    def read_surface(self, session: str, token: Token | None = None) -> SurfaceView:
        """What a model call made now would see of a session."""
        with self._view(token) as view:
            return outgoing(query_read.surface(view, session))

    def read_title(self, session: str, token: Token | None = None) -> Title:
        """The title of a session."""
        with self._view(token) as view:
            return outgoing(query_read.title(view, session))

    def read_titles(self, sessions: Sequence[str], token: Token | None = None) -> list[TitleResult]:
        """The titles of several sessions, or the error code of each that has none to give."""
        with self._view(token) as view:
            return outgoing(query_read.titles(view, sessions))

    def trace_event(self, session: str, seq: int, token: Token | None = None) -> EventTrace:
        """What became of an event and where it comes from."""
        with self._view(token) as view:
            return outgoing(query_trace.event(view, session, seq))

    def trace_session(self, session: str, token: Token | None = None) -> SessionTrace:
        """The ancestors and descendants of a session."""
        with self._view(token) as view:
            return outgoing(query_trace.session(view, session))

    def search_sessions(self, request: SearchSessions, token: Token | None = None) -> SessionHits:
        """Sessions by their strongest matching event."""
        with self._searching(token, request.mode) as view:
            return outgoing(query_search.sessions(view, request))

    def search_events(self, request: SearchEvents, token: Token | None = None) -> EventHits:
        """Matching events of one session, or of all."""
        with self._searching(token, request.mode) as view:
            return outgoing(query_search.events(view, request))

    def mount(self, source: str, path: str, token: Token | None = None) -> Report:
        """Looks at a place from now on, other engines over the same data too, and reads what is new in it."""
        return self._mounts.mount(source, path, token or NEVER)

    def unmount(self, source: str, path: str) -> None:
        """Hides the sessions of a place from this service alone; nothing is deleted or forgotten."""
        self._mounts.unmount(source, path)

    def mounted(self) -> list[Place]:
        """The places looked at."""
        return self._mounts.mounted()

    def reconcile(self, token: Token | None = None) -> Report:
        """Reads what is new or changed in every place looked at."""
        return self._mounts.reconcile(token or NEVER)

    def conflicts(self, token: Token | None = None) -> list[tuple[str, str]]:
        """(source, id) of live sessions that contradict their stored log; they are in no answer."""
        with self._borrowed(token or NEVER) as (_, overlay):
            return overlay.conflicts()

    def close(self) -> None:
        """Closes the connections; live rows vanish with them."""
        self.pool.close()

    @contextmanager
    def _searching(self, token: Token | None, mode: Mode) -> Iterator[QueryView]:
        if not self.options.search:
            raise SearchDisabledError("full-text search is switched off in this engine")
        with self._view(token, ranking=mode == Mode.RELEVANCE) as view:
            yield view

    @contextmanager
    def _view(self, token: Token | None, *, ranking: bool = False) -> Iterator[QueryView]:
        token = token or NEVER
        self._refresh(token)
        with self._borrowed(token) as (history, overlay):
            if ranking:
                overlay.converse()
            with history.read():
                yield self._state(history, overlay)

    def _refresh(self, token: Token) -> None:
        """Reads what is new where that is asked for; what stands in the way is told, and the answer given."""
        try:
            if self._mounts.refresh(self.options.refresh_ms, token):
                self._hindered = ()
        except (LockedDatabaseError, FullDiskError, ReadOnlyDatabaseError) as error:
            self._hindered = (Problem(self._path, f"what is new is left out: {error.helpful} [{error.code}]"),)

    def _state(self, history: History, overlay: Overlay) -> QueryView:
        away = fingerprint(sorted(self._mounts.away)) if self._mounts.away else ""
        live = f"{overlay.version}:{self._name}" if overlay.seen else ""
        corpus = f"{history.generation()}:{live}:{away}"
        return QueryView(history, self.options, self._name, corpus, self._problems(overlay))

    @contextmanager
    def _borrowed(self, token: Token) -> Iterator[tuple[History, Overlay]]:
        with self.pool.use(token) as history:
            overlay = self._overlays.get(id(history))
            if overlay is None or overlay.history is not history:
                overlay = self._overlays[id(history)] = Overlay(history, words)
            overlay.apply(self._live.delta(overlay.version, overlay.seen))
            overlay.unmount(self._mounts.away)
            yield history, overlay

    def _problems(self, overlay: Overlay) -> tuple[Problem, ...]:
        told = "SOURCE_CONFLICT: the live session contradicts its stored log"
        return (
            self._hindered
            + self._mounts.problems
            + tuple(Problem(f"{source}:{id_}", told) for source, id_ in overlay.conflicts())
        )

    def _writer(self, token: Token) -> Iterator[History]:
        if self._shared is not None:
            with self.pool.use(token) as history:
                yield history
            return
        self.pool.check_open()
        history = open_history(self._path)
        try:
            with token.watch(history.interrupt):
                token.check()
                yield history
        finally:
            history.close()


def _once(make: Callable[[], History]) -> Callable[[], History]:
    made: list[History] = []

    def give() -> History:
        if not made:
            made.append(make())
        return made[0]

    return give


def _check(options: QueryOptions) -> None:
    if not 1 <= options.default_limit <= options.max_limit:
        raise InvalidConfigError(f"the default limit {options.default_limit} is not within 1 to {options.max_limit}")
    for name in ("max_listed", "snippet_chars", "connections"):
        if getattr(options, name) < 1:
            raise InvalidConfigError(f"{name} must be at least 1")
    if options.read_window_max < 0 or (options.refresh_ms is not None and options.refresh_ms < 0):
        raise InvalidConfigError("bounds must not be negative")
