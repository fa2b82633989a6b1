"""Pins and memories of people, written as mutations to our own ledger, never into an agent's log.

The payloads are the ones that canonical records of sessions hold, so both are folded together and a session that is
moved to another program can take its memory along. Nothing is kept unless a person says so by a command. What makes
sense is decided by `engine.memory.proposals`.
"""

from collections.abc import Callable
from typing import Any

from backstory.engine import context, settings
from backstory.engine.context import Context
from backstory.engine.index import BUDGET_MS, sync
from backstory.engine.memory import proposals
from backstory.engine.memory import state as memory_state
from backstory.engine.memory import sync as memory_sync
from backstory.engine.memory.proposals import Proposal
from backstory.engine.open import Engine
from backstory.records.keeping import (
    KeptAnswer,
    KeptList,
    KeptRequest,
    MemoryAddRequest,
    MemoryEndRequest,
    MemorySupersedeRequest,
    PinRequest,
    UnpinRequest,
)
from backstory.records.memory import PIN_TYPE, Fold, Kept
from backstory.store import ledger


def pin(engine: Engine, request: PinRequest) -> KeptAnswer:
    """Pin a text.

    Raises:
        UsageError: the text, scope, level, source or replaced pin makes no sense, or pins would pass their budget.
        UnknownSessionError, AmbiguousSessionError: nothing, or too much, is called that.
    """
    given = _context(engine, request.session)
    room = settings.effective(engine, given.row.cwd).config.budget.pins
    return _written(engine, given, lambda state: proposals.pin(engine, given, state, request, room=room))


def unpin(engine: Engine, request: UnpinRequest) -> KeptAnswer:
    """Take a pin back."""
    given = _context(engine, request.session)
    return _written(engine, given, lambda state: proposals.unpin(state, request))


def pins(engine: Engine, request: KeptRequest) -> KeptList:
    """The pins that concern a session."""
    given = _context(engine, request.session)
    state = memory_state.kept(engine, given)
    return KeptList(proposals.concerning(given, state.pins, everything=request.all), state.warnings)


def memories(engine: Engine, request: KeptRequest) -> KeptList:
    """The memories that concern a session."""
    given = _context(engine, request.session)
    state = memory_state.kept(engine, given)
    found = proposals.concerning(given, state.memories, everything=request.all)
    return KeptList(found, (*proposals.disagreements(found), *state.warnings))


def add(engine: Engine, request: MemoryAddRequest) -> KeptAnswer:
    """Remember a claim.

    Raises:
        UsageError: the claim, scope, level or a source makes no sense, or it contradicts what is remembered already.
    """
    given = _context(engine, request.session)
    return _written(engine, given, lambda state: proposals.remember(engine, given, state, request))


def supersede(engine: Engine, request: MemorySupersedeRequest) -> KeptAnswer:
    """Replace a memory by a newer claim; scope and key stay, the level unless another is given."""
    given = _context(engine, request.session)
    return _written(engine, given, lambda state: proposals.supersede(engine, given, state, request))


def invalidate(engine: Engine, request: MemoryEndRequest) -> KeptAnswer:
    """Say that a memory was wrong."""
    given = _context(engine, request.session)
    return _written(engine, given, lambda state: proposals.end(state, request, "invalid"))


def expire(engine: Engine, request: MemoryEndRequest) -> KeptAnswer:
    """Say that a memory no longer holds."""
    given = _context(engine, request.session)
    return _written(engine, given, lambda state: proposals.end(state, request, "expired"))


def append(engine: Engine, given: Context, proposal: Proposal) -> None:
    """Write a proposal to the ledger, unless what was kept meanwhile contradicts it.

    Raises:
        UsageError: it does.
        DatabaseError: as `store.ledger.append`.
    """
    with ledger.writing(engine.home) as add:
        proposals.still(given, memory_state.kept(engine, given), proposal)
        add(_record(engine, given, proposal))


def _record(engine: Engine, given: Context, proposal: Proposal) -> dict[str, Any]:
    data = proposals.payload(engine, proposal)
    return {
        "type": memory_sync.KEEP,
        "id": data["mutationId"],
        "at": data["createdAt"],
        "custom_type": proposal.type,
        "session": given.row.session_id,
        "project": given.row.cwd,
        "leaf": given.leaf.entry_id if given.leaf is not None else None,
        "payload": data,
    }


def _context(engine: Engine, name: str) -> Context:
    sync(engine, budget_ms=BUDGET_MS)
    with engine.history.read():
        return context.load(engine, name, hard=0)


def _written(engine: Engine, given: Context, propose: Callable[[Fold], Proposal]) -> KeptAnswer:
    """Checks a change and writes it while nobody else may write, so that two cannot contradict each other."""
    with ledger.writing(engine.home) as add:
        proposal = propose(memory_state.kept(engine, given))
        if proposal.same is not None:
            return KeptAnswer(proposal.same, written=False, warnings=proposals.doubts(proposal))
        add(_record(engine, given, proposal))
    return KeptAnswer(_again(engine, given, proposal), warnings=proposals.doubts(proposal))


def _again(engine: Engine, given: Context, proposal: Proposal) -> Kept:
    state = memory_state.kept(engine, given)
    return proposals.named(state.pins if proposal.type == PIN_TYPE else state.memories, proposal.id, "item")
