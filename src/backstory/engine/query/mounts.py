"""Which places a query service looks at, and bringing the index up to date with them.

Unmounting hides a place's sessions from this service and deletes nothing; mounting it again reads what changed. A file
that cannot be read is remembered as a problem and costs nobody else anything.
"""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from os.path import expanduser
from pathlib import Path

import msgspec

from backstory.config.paths import absent
from backstory.engine import passes
from backstory.errors import DatabaseError, UnknownSourceError
from backstory.index.look import Report
from backstory.index.sync import Forgotten, nothing
from backstory.records.problem import Problem
from backstory.sources import registry
from backstory.sources.discover import Place, Unreadable
from backstory.store.cancel import Token
from backstory.store.history import History

# How many seconds to wait for a turn before the token is asked again.
TURN = 0.05
# How many milliseconds a question waits for the lock before it is answered from what is indexed.
PATIENCE = 1_000

Pair = tuple[str, str]


def nobody(_place: Place) -> None:
    """No place is remembered."""


class Surroundings(msgspec.Struct, frozen=True):
    """What a service is told of the engine around it, and whom it tells.

    `clock` gives seconds, `forgotten` what is not to be read again. `remember` is told of each place that is mounted,
    so that later services look at it too.
    """

    clock: Callable[[], float] = lambda: 0.0
    forgotten: Callable[[], Forgotten] = nothing
    remember: Callable[[Place], None] = nobody


class Mounts:
    """The places of one service. `writer` lends the connection that writes; passes over the disk take turns."""

    def __init__(
        self, places: Iterable[Place], writer: Callable[[Token], Iterator[History]], around: Surroundings
    ) -> None:
        self._around = around
        self._places = {(place.source, place.path): place for place in places}
        self._away: frozenset[Pair] = frozenset()
        self._writer = contextmanager(writer)
        self._turn = threading.Lock()
        self._latest: float | None = None
        self._problems: dict[Pair, tuple[Problem, ...]] = {}

    @property
    def away(self) -> frozenset[Pair]:
        """The (source, path) places that are not looked at."""
        return self._away

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What the last pass over each mounted place could not read."""
        return tuple(problem for _, found in sorted(self._problems.copy().items()) for problem in found)

    def mounted(self) -> list[Place]:
        """The places that are looked at."""
        return [place for pair, place in self._places.items() if pair not in self._away]

    def mount(self, source: str, path: str, token: Token) -> Report:
        """Looks at a place from now on, and reads what is new in it; one that is not there is told as a problem.

        Raises:
            UnknownSourceError: no such source.
        """
        if source not in registry.names():
            raise UnknownSourceError(source, registry.names())
        pair = self._pair(source, path)
        place = self._places.setdefault(pair, Place(*pair))
        self._away -= {pair}
        reason = absent(place.path)
        if reason is None:
            self._around.remember(place)
        report = self._pass([place], token)
        return report if reason is None else _lacking(report, place, reason)

    def unmount(self, source: str, path: str) -> None:
        """Looks away from a place."""
        pair = self._pair(source, path)
        self._away |= {pair}
        self._problems.pop(pair, None)

    def _pair(self, source: str, path: str) -> Pair:
        """A place by its one name: absolute, so that it means the same from every folder."""
        given = (source, path)
        return given if given in self._places else (source, str(Path(expanduser(path)).absolute()))

    def reconcile(self, token: Token) -> Report:
        """Reads what is new or changed in every mounted place."""
        report = self._pass(self.mounted(), token)
        self._latest = self._around.clock()
        return report

    def refresh(self, older_than_ms: int | None, token: Token) -> bool:
        """Reconciles unless that was tried lately or is being done by another thread; None never does.

        Says whether it did. Raises:
            LockedDatabaseError: another process held the lock for `PATIENCE` milliseconds.
        """
        if older_than_ms is None or (self._latest is not None and self._ago() * 1000 < older_than_ms):
            return False
        if not self._turn.acquire(blocking=False):
            return False
        self._turn.release()
        try:
            self._pass(self.mounted(), token, wait_ms=PATIENCE)
        except DatabaseError:
            self._latest = self._around.clock()
            raise
        self._latest = self._around.clock()
        return True

    def _ago(self) -> float:
        return self._around.clock() - (self._latest or 0)

    def _pass(self, places: list[Place], token: Token, wait_ms: int | None = None) -> Report:
        with self._taking_turn(token), self._writer(token) as history, _waiting(history, wait_ms):
            whole = Report()
            for place in places:
                report = self._place(history, place, token)
                self._problems[place.source, place.path] = tuple(
                    Problem(one.path, one.reason) for one in report.problems
                )
                _add(whole, report)
            return whole

    def _place(self, history: History, place: Place, token: Token) -> Report:
        def late() -> bool:
            token.check()
            return False

        return passes.over(history, [place], forgotten=self._around.forgotten, late=late, clock=self._around.clock)

    @contextmanager
    def _taking_turn(self, token: Token) -> Iterator[None]:
        while not self._turn.acquire(timeout=TURN):
            token.check()
        try:
            token.check()
            yield
        finally:
            self._turn.release()


@contextmanager
def _waiting(history: History, wait_ms: int | None) -> Iterator[None]:
    """Writes wait so long for the lock."""
    before, history.wait_ms = history.wait_ms, wait_ms
    try:
        yield
    finally:
        history.wait_ms = before


def _lacking(report: Report, place: Place, reason: str) -> Report:
    return msgspec.structs.replace(report, problems=[*report.problems, Unreadable(place.path, f"it {reason}")])


def _add(whole: Report, part: Report) -> None:
    for name, row in part.sources.items():
        total = whole.source(name)
        for field in ("sessions", "entries", "malformed", "unchanged", "bytes", "seconds"):
            setattr(total, field, getattr(total, field) + getattr(row, field))
    whole.problems += part.problems
    whole.missing += part.missing
    whole.partial = whole.partial or part.partial
