"""Pins and memories of people, written as mutations to our own ledger, never into an agent's log.

The payloads are the ones that canonical records of sessions hold, so both are folded together and a session that is
moved to another program can take its memory along. Nothing is kept unless a person says so by a command. What makes
sense is decided by `engine.memory.proposals`.
"""

from collections.abc import Callable
from typing import Any

from backstory.engine import settings
from backstory.engine.context import Context, load
from backstory.engine.indexing.index import BUDGET_MS, sync
from backstory.engine.memory import contradictions, proposals
from backstory.engine.memory import state as memory_state
from backstory.engine.memory import sync as memory_sync
from backstory.engine.memory.concerning import concerning, named
from backstory.engine.memory.proposals import Proposal
from backstory.engine.open import Engine
from backstory.records.memory import PIN_TYPE, Fold, Kept
from backstory.records.memory_requests import (
    KeptAnswer,
    KeptList,
    KeptRequest,
    MemoryAddRequest,
    MemoryEndRequest,
    MemorySupersedeRequest,
    PinRequest,
    UnpinRequest,
)
from backstory.store import ledger


def pin(engine: Engine, request: PinRequest) -> KeptAnswer:
    """Pin a text.

    Raises:
        UsageError: the text, scope, level, source or replaced pin makes no sense, or pins would pass their budget.
        UnknownSessionError, AmbiguousSessionError: nothing, or too much, is called that.
    """
    context = _context(engine, request.session)
    room = settings.effective(engine, context.row.cwd).config.budget.pins
    return _written(engine, context, lambda state: proposals.pin(engine, context, state, request, room=room))


def unpin(engine: Engine, request: UnpinRequest) -> KeptAnswer:
    """Take a pin back."""
    context = _context(engine, request.session)
    return _written(engine, context, lambda state: proposals.unpin(state, request))


def pins(engine: Engine, request: KeptRequest) -> KeptList:
    """The pins that concern a session."""
    context = _context(engine, request.session)
    state = memory_state.kept(engine, context)
    return KeptList(concerning(context, state.pins, everything=request.all), state.warnings)


def memories(engine: Engine, request: KeptRequest) -> KeptList:
    """The memories that concern a session."""
    context = _context(engine, request.session)
    state = memory_state.kept(engine, context)
    shown = concerning(context, state.memories, everything=request.all)
    return KeptList(shown, (*contradictions.disagreements(shown), *state.warnings))


def add(engine: Engine, request: MemoryAddRequest) -> KeptAnswer:
    """Remember a claim.

    Raises:
        UsageError: the claim, scope, level or a source makes no sense, or it contradicts what is remembered already.
    """
    context = _context(engine, request.session)
    return _written(engine, context, lambda state: proposals.remember(engine, context, state, request))


def supersede(engine: Engine, request: MemorySupersedeRequest) -> KeptAnswer:
    """Replace a memory by a newer claim; scope and key stay, the level unless a higher one is given."""
    context = _context(engine, request.session)
    return _written(engine, context, lambda state: proposals.supersede(engine, context, state, request))


def invalidate(engine: Engine, request: MemoryEndRequest) -> KeptAnswer:
    """Say that a memory was wrong."""
    context = _context(engine, request.session)
    return _written(engine, context, lambda state: proposals.end(state, request, "invalid"))


def expire(engine: Engine, request: MemoryEndRequest) -> KeptAnswer:
    """Say that a memory no longer holds."""
    context = _context(engine, request.session)
    return _written(engine, context, lambda state: proposals.end(state, request, "expired"))


def append(engine: Engine, context: Context, proposal: Proposal) -> None:
    """Write a proposal to the ledger, unless what was kept meanwhile contradicts it.

    Raises:
        UsageError: it does.
        DatabaseError: as `store.ledger.append`.
    """
    with ledger.writing(engine.home) as add:
        proposals.still(context, memory_state.kept(engine, context), proposal)
        add(_record(engine, context, proposal))


def _record(engine: Engine, context: Context, proposal: Proposal) -> dict[str, Any]:
    data = proposals.payload(engine, proposal)
    return {
        "type": memory_sync.KEEP,
        "id": data["mutationId"],
        "at": data["createdAt"],
        "custom_type": proposal.type,
        "session": context.row.session_id,
        "project": context.row.cwd,
        "leaf": context.leaf.entry_id if context.leaf is not None else None,
        "payload": data,
    }


def _context(engine: Engine, name: str) -> Context:
    sync(engine, budget_ms=BUDGET_MS)
    with engine.history.read():
        return load(engine, name, hard=0)


def _written(engine: Engine, context: Context, propose: Callable[[Fold], Proposal]) -> KeptAnswer:
    """Checks a change and writes it while nobody else may write, so that two cannot contradict each other."""
    with ledger.writing(engine.home) as add:
        proposal = propose(memory_state.kept(engine, context))
        if proposal.same is not None:
            return KeptAnswer(proposal.same, written=False, warnings=contradictions.doubts(proposal.against))
        proposals.counts(engine, context, proposal)
        add(_record(engine, context, proposal))
    return KeptAnswer(_again(engine, context, proposal), warnings=contradictions.doubts(proposal.against))


def _again(engine: Engine, context: Context, proposal: Proposal) -> Kept:
    state = memory_state.kept(engine, context)
    return named(state.pins if proposal.type == PIN_TYPE else state.memories, proposal.id, "item")
