"""The composition root: one `Engine` wires paths, clock, environment, sources and the history database together.

Everything that needs the outside world gets it from here, so that the layers below stay free of clocks and
environments. Use cases live in the other modules of this package, as functions whose first argument is the engine.
"""

import os
import time
from _thread import RLock  # the class of `threading`, which would be a good part of the start of every command
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Self

from backstory.config.paths import Folder, absolute, data_folder, derived_folder, history_path, unfinished, user_home
from backstory.engine.loading import load
from backstory.errors import BackstoryError, CancelledError, CorruptDatabaseError, FullDiskError, ReadOnlyDatabaseError
from backstory.store.folder import AWAY
from backstory.store.history import History, open_history

if TYPE_CHECKING:
    from backstory.engine.query.service import QueryService
    from backstory.engine.state.live import Live
    from backstory.engine.state.open_project import OpenProject
    from backstory.engine.state.pending import Pending
    from backstory.engine.state.unsaved import Unsaved
    from backstory.engine.transcript.shelf import Shelf
    from backstory.index.live import LiveSessions
    from backstory.records.problem import Problem
    from backstory.records.query import QueryOptions

MEMORY = ":memory:"


class Engine:
    """All of Backstory over one data folder. Use it as a context manager, from one thread; `query` and `live` from any.

    `progress` is told how far long work has come; `cancelled` is asked between steps and stops the work when true.
    `queries` bounds the query service. `database` is another place for the history database than the usual one:
    a file, or `MEMORY`.

    `problems` is what the last look for new entries could not read, for answers that have no place for it; `hindered`
    is the error that kept all that is new out of them. `failed` tells of the newest failure of each kind of work that
    nobody waits for, and is empty again once the same kind of work is done. `tidied` are the bytes of unfinished
    rebuilds that were deleted when the index was first needed.
    """

    def __init__(
        self,
        home: Folder,
        env: Mapping[str, str],
        *,
        progress: Callable[[int, int, int, int], None] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        queries: "QueryOptions | None" = None,
        database: str | None = None,
    ) -> None:
        self.home = os.fspath(home)
        self.env = env
        self._database = database or history_path(home)
        self._queries = queries
        self._loading = RLock()
        self.progress = progress or (lambda *_: None)
        self.cancelled = cancelled
        self.problems: Sequence[Problem] = ()
        self.hindered: BackstoryError | None = None
        self.failed: dict[str, str] = {}
        self.tidied = 0

    @cached_property
    def history(self) -> History:
        """The history database, opened when first needed; one that cannot be written can still be read."""
        self._recover()
        try:
            return open_history(self._database)
        except (ReadOnlyDatabaseError, FullDiskError) as why:
            if not os.path.exists(self._database):
                raise
            try:
                history = open_history(self._database, read_only=True)
            except CorruptDatabaseError:
                if isinstance(why, FullDiskError):  # it was just made, and found no room for its tables
                    raise why from None
                raise
            history.full = isinstance(why, FullDiskError)
            return history

    @contextmanager
    def untouched(self, *, when: bool = True) -> Iterator["Engine"]:
        """An engine for a question that changes nothing: this one or, where it has no database yet, an empty one.

        So nothing is made on disk. The empty one is nobody else's, as other threads may ask too; it has the same
        attached sessions.
        """
        if not when or self._made():
            yield self
            return
        with Engine(
            self.home,
            self.env,
            progress=self.progress,
            cancelled=self.cancelled,
            queries=self._queries,
            database=MEMORY,
        ) as empty:
            empty.tidied = self.tidied
            if "_live_sessions" in self.__dict__:
                empty.__dict__["_live_sessions"] = self._live_sessions
            yield empty

    def _made(self) -> bool:
        """Whether there is a database, so that opening it makes none."""
        self._recover()
        return "history" in self.__dict__ or self._database == MEMORY or os.path.exists(self._database)

    def _recover(self) -> None:
        """Mends what a rebuild left that was killed: a folder moved away, one that is replaced, or one half made."""
        if self._database == history_path(self.home):
            if not os.path.exists(self._database):
                load("engine.upkeep.rebuild:recover")(self.home)
            left = (*unfinished(self.home), derived_folder(self.home) + AWAY)
            if any(map(os.path.exists, left)):
                self.tidied += load("engine.upkeep.rebuild:tidy")(self.home)

    @property
    def query(self) -> "QueryService":
        """The query service, made when first asked for; safe to use from several threads."""
        with self._loading:
            return self._query

    @cached_property
    def _query(self) -> "QueryService":
        self._recover()
        shared = (lambda: self.history) if self._database == MEMORY else None
        opened = load("engine.sessions.query_open:opened")
        made: QueryService = opened(self, self._database, self._live_sessions, self._queries, shared)
        return made

    @property
    def live(self) -> "Live":
        """The live sessions of this engine; safe to use from several threads."""
        with self._loading:
            return self._live

    @cached_property
    def _live(self) -> "Live":
        made: Live = load("engine.state.live:Live")(self._live_sessions, self.query)
        return made

    @cached_property
    def _live_sessions(self) -> "LiveSessions":
        made: LiveSessions = load("index.live:LiveSessions")()
        return made

    @cached_property
    def transcripts(self) -> "Shelf":
        """The sessions that were planned last, as planning sees them."""
        made: Shelf = load("engine.transcript.shelf:Shelf")()
        return made

    @cached_property
    def pending(self) -> "Pending":
        """What waits for an answer of a host, and references given out to a model."""
        made: Pending = load("engine.state.pending:Pending")()
        return made

    @cached_property
    def unsaved(self) -> "Unsaved":
        """Manifests and samples that may not be kept on disk."""
        made: Unsaved = load("engine.state.unsaved:Unsaved")()
        return made

    @cached_property
    def open_project(self) -> "OpenProject":
        """The index of the project that was asked last, and its last answer."""
        made: OpenProject = load("engine.state.open_project:OpenProject")()
        return made

    @property
    def user_home(self) -> str:
        """The folder that agents keep their logs under."""
        return user_home(self.env)

    def now(self) -> int:
        """Unix milliseconds."""
        return time.time_ns() // 1_000_000

    def new_id(self) -> str:
        """A random name for a record of ours."""
        return os.urandom(16).hex()

    def clock(self) -> float:
        """Seconds of a clock that never goes back."""
        return time.monotonic()

    def late(self, budget_ms: int | None) -> Callable[[], bool]:
        """A check that is true once the budget is spent, and raises CancelledError once the caller gave up."""
        end = None if budget_ms is None else self.clock() + budget_ms / 1000

        def spent() -> bool:
            self.go_on()
            return end is not None and self.clock() >= end

        return spent

    def go_on(self) -> None:
        """Returns unless the caller gave up.

        Raises:
            CancelledError: the caller gave up.
        """
        if self.cancelled():
            raise CancelledError("stopped by the caller")

    def interrupt(self) -> None:
        """Stops the SQL statement that runs now on the history database, if any; may be called from any thread."""
        if "history" in self.__dict__:
            self.history.interrupt()

    def refresh(self) -> None:
        """Lets go of a database that was replaced, or that could only be read when it was opened; not while it is used.

        What is asked next opens what lies there then.
        """
        if "history" in self.__dict__ and not self.history.stands():
            self.__dict__.pop("transcripts", None)
            self.__dict__.pop("history").close()

    def close(self) -> None:
        """Closes the database if it was opened, and what was made over it; what is attached stays attached."""
        if "_query" in self.__dict__:
            self._query.close()
        if "open_project" in self.__dict__:
            self.open_project.close()
        for made in ("_query", "_live", "transcripts", "open_project"):
            self.__dict__.pop(made, None)
        if "history" in self.__dict__:
            self.history.close()
            del self.__dict__["history"]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_engine(
    home: Folder | None = None,
    *,
    env: Mapping[str, str] | None = None,
    progress: Callable[[int, int, int, int], None] | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    memory: bool = False,
    queries: "QueryOptions | None" = None,
) -> Engine:
    """An engine over a data folder (default: `BACKSTORY_HOME`, else the platform's); nothing is opened yet.

    `memory` keeps the history database in memory.
    """
    env = os.environ if env is None else env
    folder = data_folder(env) if home is None else absolute(home)
    database = MEMORY if memory else None
    return Engine(folder, env, progress=progress, cancelled=cancelled, queries=queries, database=database)


__all__: Sequence[str] = ["Engine", "open_engine"]
