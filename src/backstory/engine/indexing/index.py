"""Indexing as a use case: which places, which sources, how much time, and what is reported."""

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from backstory.engine import passes
from backstory.engine.indexing.places import added_places, change_places, default_places
from backstory.engine.loading import load
from backstory.engine.open import Engine
from backstory.errors import (
    BackstoryError,
    FullDiskError,
    LockedDatabaseError,
    ReadOnlyDatabaseError,
    UnknownSessionError,
    UnreadableSourceError,
)
from backstory.index.look import Report
from backstory.records.indexing import IndexedSource, IndexReport, IndexRequest
from backstory.records.problem import Problem
from backstory.sources import registry
from backstory.sources.discover import Unreadable
from backstory.store import ledger
from backstory.text.wording import UNFINISHED

FORGET = "session-forget"
# What a question may spend on new entries before it is answered, in milliseconds.
BUDGET_MS = 3_000


def index(engine: Engine, request: IndexRequest) -> IndexReport:
    """Reads what is new or changed; `--root` places are remembered.

    Raises:
        UsageError, UnknownSourceError: a root that makes no sense, or one to drop that was not added.
        DatabaseError: the index cannot be opened or written.
    """
    given = change_places(engine, request.root, request.drop_root)
    start = engine.clock()
    report = sync(engine, only_added=request.only_roots)
    if request.root or request.drop_root:
        load("index.placing:place_again")(engine.history, added_places(engine) + default_places(engine))
    passed = load("engine.indexing.passed:over")(engine, given)[0] if given else 0
    return msgspec.structs.replace(told(report, engine.clock() - start), passed=passed)


def sync(engine: Engine, *, only_added: bool = False, budget_ms: int | None = None) -> Report:
    """One pass over all known places.

    With a budget in milliseconds the pass may leave work for the next one, also when another process holds the lock
    for that long, the disk is full or nothing may be written: its report then says `partial`. Without a readable ledger
    nobody knows what was forgotten, so nothing is read; the report tells of it. The engine keeps the problems for
    answers that have no place for them.

    Raises:
        LockedDatabaseError, FullDiskError, ReadOnlyDatabaseError: without a budget, when another process holds the lock
            for too long, there is no room, or nothing may be written.
    """
    engine.history.wait_ms = budget_ms
    engine.hindered = None
    try:
        report = _pass(engine, only_added=only_added, budget_ms=budget_ms)
    except LockedDatabaseError:
        if budget_ms is None:
            raise
        report = Report(partial=True)
    except (FullDiskError, ReadOnlyDatabaseError) as error:
        if budget_ms is None:
            raise
        report = left_out(engine, error)
    finally:
        engine.history.wait_ms = None
    engine.problems = problems(report)
    return report


def left_out(engine: Engine, error: BackstoryError) -> Report:
    """The report of a pass that could not write, for an answer from what is indexed."""
    engine.hindered = error
    reason = f"what is new is left out: {error.helpful} [{error.code}]"
    return Report(partial=True, problems=[Unreadable(engine.home, reason)])


def _pass(engine: Engine, *, only_added: bool, budget_ms: int | None) -> Report:
    try:
        places = added_places(engine) + ([] if only_added else default_places(engine))
    except UnreadableSourceError as error:
        return passes.untold(error)
    return passes.over(
        engine.history, places, forgotten=lambda: forgotten(engine), late=engine.late(budget_ms),
        clock=engine.clock, progress=engine.progress,
    )  # fmt: skip


def forgotten(engine: Engine) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """The paths and the (source, id) of sessions that are not taken in again.

    Raises:
        UnreadableSourceError: nobody can tell, as the ledger cannot be read.
    """
    dropped = list(ledger.read(engine.home, FORGET))
    names = ((str(one.get("source")), str(one["session"])) for one in dropped if one.get("session"))
    return frozenset(str(one.get("path")) for one in dropped), frozenset(names)


@contextmanager
def admitting(report: Report) -> Iterator[None]:
    """Says of a session that nobody knows that it may not be indexed yet, if this pass left something out."""
    try:
        yield
    except UnknownSessionError as error:
        if report.partial:
            error.args = (f"{error}; {UNFINISHED}",)
        raise


def problems(report: Report) -> tuple[Problem, ...]:
    """What could not be read, for an answer."""
    broken = (Problem(name, f"this source cannot be loaded: {why}") for name, why in registry.broken().items())
    return (*(Problem(one.path, one.reason) for one in report.problems), *broken)


def told(report: Report, seconds: float) -> IndexReport:
    """The answer to a request to index."""
    rows = tuple(
        IndexedSource(
            row.name, row.sessions, row.entries, row.malformed, row.unchanged, row.bytes, round(row.seconds, 3)
        )
        for row in sorted(report.sources.values(), key=lambda row: row.name)
    )
    return IndexReport(rows, round(seconds, 3), report.missing, report.partial, problems(report))
