"""Where the memory of a project comes from: the logs of its sessions, and which of them a person excludes.

Sources are found by the index, not by opening sessions; nothing of theirs is shared unless the project is trusted and
memory across sessions is switched on. An exclusion is a decision of a person, so it stands in the ledger and survives a
rebuild; the log itself is never touched.
"""

from backstory.engine import naming, trust
from backstory.engine.indexing.index import BUDGET_MS, sync
from backstory.engine.memory import state as memory_state
from backstory.engine.memory import sync as memory_sync
from backstory.engine.open import Engine
from backstory.errors import UsageError
from backstory.plan.memory import rules
from backstory.records.memory_requests import (
    Exclusion,
    MemoryExcludeRequest,
    MemoryIncludeRequest,
    MemorySourceAnswer,
    MemorySources,
    MemorySourcesRequest,
)
from backstory.store import ledger, mutations


def sources(engine: Engine, request: MemorySourcesRequest, *, trusted: bool | None = None) -> MemorySources:
    """The logs of a session's project that hold mutation records, with what counts of them and why.

    `trusted` is a host's word on the project; None asks what a person decided.

    Raises:
        UsageError: the session has no working folder, so it has no project.
        UnknownSessionError, AmbiguousSessionError: nothing, or too much, is called that.
    """
    sync(engine, budget_ms=BUDGET_MS)
    _, folder = _place(engine, request.session)
    return _told(engine, folder, trusted=trusted)


def exclude(engine: Engine, request: MemoryExcludeRequest) -> MemorySourceAnswer:
    """Let what a session keeps for its project stop counting there.

    Raises:
        UsageError: the session has no project, or the reason is too long.
        UnknownSessionError, AmbiguousSessionError: nothing, or too much, is called that.
    """
    reason = " ".join(request.reason) or None
    if reason is not None and len(reason) > rules.LONGEST_REASON:
        raise UsageError(f"a reason has at most {rules.LONGEST_REASON} characters")
    return _decide(engine, request.session, excluded=True, reason=reason)


def include(engine: Engine, request: MemoryIncludeRequest) -> MemorySourceAnswer:
    """Let an excluded session count again; raises what `exclude` raises."""
    return _decide(engine, request.session, excluded=False, reason=None)


def _decide(engine: Engine, name: str, *, excluded: bool, reason: str | None) -> MemorySourceAnswer:
    sync(engine, budget_ms=BUDGET_MS)
    session, folder = _place(engine, name)
    memory_sync.refresh(engine)
    known = {other: why for where, other, why in mutations.excluded(engine.history) if where == folder}
    if (session in known) == excluded and known.get(session) == reason:
        return MemorySourceAnswer(session, folder, excluded, reason, written=False)
    record = {"type": memory_sync.EXCLUDE, "id": engine.new_id(), "at": engine.now(), "project": folder}
    ledger.append(engine.home, {**record, "session": session, "excluded": excluded, "reason": reason})
    memory_sync.refresh(engine)
    return MemorySourceAnswer(session, folder, excluded, reason)


def _told(engine: Engine, folder: str, *, trusted: bool | None) -> MemorySources:
    memory_sync.refresh(engine)
    chosen = memory_state.options(engine, folder, trusted=trusted)
    known = trusted if trusted is not None else trust.is_trusted(engine.home, folder)
    with engine.history.read():
        logs = mutations.listed(engine.history, folder, chosen.sessions)
        excluded = mutations.excluded(engine.history)
    held = {one.session for one in logs}
    others = tuple(Exclusion(id_, why) for where, id_, why in excluded if where == folder and id_ not in held)
    shared = known and chosen.across_sessions
    return MemorySources(folder, tuple(logs), trusted=known, shared=shared, excluded=others)


def _place(engine: Engine, name: str) -> tuple[str, str]:
    """The id of a session and its project."""
    with engine.history.read():
        _, row = naming.session(engine, name)
    folder = memory_sync.project_of(row.cwd)
    if folder is None:
        raise UsageError("the session has no working folder, so it has no project")
    return row.session_id, folder
