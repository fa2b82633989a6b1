"""Turns what a person asks to keep into a checked change, without writing it anywhere.

A proposal holds the payload that canonical records have, so that it can go to our own ledger (`engine.memory`) or into
the log of a host that appends it itself (`engine.host.commands`, `engine.host.persistence`). What an item may hold is
for `fields` to say, by the rules of `plan.memory.rules`; what says otherwise than something kept is for
`engine.memory.contradictions` to find.
"""

from collections.abc import Sequence
from shlex import quote
from typing import Any

import msgspec

from backstory.engine.context import Context
from backstory.engine.memory import contradictions, fields, sync
from backstory.engine.memory.concerning import concerning, named
from backstory.engine.open import Engine
from backstory.errors import UsageError
from backstory.plan.memory import rules
from backstory.plan.memory import select as memory_select
from backstory.plan.memory.mutations import SCHEMA
from backstory.privacy import classify
from backstory.records.base import Record
from backstory.records.memory import MEMORY_TYPE, PIN_TYPE, Fold, Kept
from backstory.records.memory_requests import (
    MemoryAddRequest,
    MemoryEndRequest,
    MemorySupersedeRequest,
    PinRequest,
    UnpinRequest,
)
from backstory.records.mutation import Ended, Made, MemoryItem, PinItem, Scoped
from backstory.store import mutations
from backstory.text.tokens import CHARS


class Proposal(Record, frozen=True):
    """A change of `type` that makes sense; `id` is the item it makes or ends, `target` what it replaces or ends.

    With `same`, an active item says the same already and nothing needs to be written. `against` are active memories of
    another scope that say otherwise: both may hold, so they refuse nothing.
    """

    type: str
    id: str
    change: Made | Ended | None
    target: Kept | None = None
    same: Kept | None = None
    against: tuple[Kept, ...] = ()


def payload(engine: Engine, proposal: Proposal) -> dict[str, Any]:
    """The data of the mutation record as JSON, made now under a new mutation id."""
    named = {"schemaVersion": SCHEMA, "mutationId": engine.new_id(), "createdAt": engine.now()}
    return {**named, **msgspec.to_builtins(proposal.change)}


def pin(engine: Engine, context: Context, state: Fold, request: PinRequest, *, room: int) -> Proposal:
    """Pin a text; a call allows all pins together `room` tokens.

    Raises:
        UsageError: the text, scope, level, source or replaced pin makes no sense, or pins would pass their budget.
    """
    text = fields.text(request.text, rules.LONGEST_PIN)
    fields.one_of("--scope", request.scope, ("session", "branch", "project"))
    active = [item for item in state.pins if item.status == "active"]
    scoped = fields.scoped(context, request.scope)
    replaced = named(state.pins, request.supersedes, "pin") if request.supersedes else None
    if replaced is not None:
        _active(replaced)
    if replaced is None and (
        same := rules.repeated(text, [item for item in active if fields.same_scope(item, context, scoped)])
    ):
        return Proposal(PIN_TYPE, same.id, None, same=same)
    if replaced is not None and replaced.scope != request.scope:
        raise UsageError(f"the pin {replaced.id} has the scope {replaced.scope}")
    item = PinItem(
        scope=scoped.scope, project_path=scoped.project_path, branch_leaf_id=scoped.branch_leaf_id,
        id=engine.new_id(), content=text, created_at=engine.now(),
        classification=fields.level(request.classification, replaced),
        source_entry_id=fields.source(context, request.source) if request.source else None,
        source_file=request.file or None,
    )  # fmt: skip
    _check_budget(context, [one for one in active if one is not replaced], item, replaced, room)
    return _made(PIN_TYPE, item, replaced)


def unpin(state: Fold, request: UnpinRequest) -> Proposal:
    """Take a pin back."""
    target = named(state.pins, request.pin, "pin")
    return _ended(PIN_TYPE, target, "deleted", request.reason)


def remember(engine: Engine, context: Context, state: Fold, request: MemoryAddRequest) -> Proposal:
    """Remember a claim.

    Raises:
        UsageError: the claim, scope, level or a source makes no sense, or it contradicts what is remembered already.
    """
    claim = fields.text(request.text, rules.LONGEST_CLAIM)
    fields.one_of("--scope", request.scope, ("session", "project"))
    scoped = fields.scoped(context, request.scope)
    known = [item for item in state.memories if fields.same_scope(item, context, scoped)]
    key = rules.normal_key(classify.strip(request.key)) if request.key else rules.derived_key(classify.strip(claim))
    held = concerning(context, state.memories, everything=False)
    against = contradictions.against(held, claim, key, known)
    if same := rules.repeated(claim, known):
        return Proposal(MEMORY_TYPE, same.id, None, same=same, against=against)
    contradictions.agreeing(claim, key, known)
    # A key is kept without its marks, which would be no marks any more.
    level = classify.level(request.key or "", fields.level(request.classification, None))
    item = _memory(engine, claim, scoped, key, level, fields.sources(context, request.source))
    return _made(MEMORY_TYPE, item, None, against)


def supersede(engine: Engine, context: Context, state: Fold, request: MemorySupersedeRequest) -> Proposal:
    """Replace a memory by a newer claim; scope and key stay, the level unless a higher one is given."""
    claim = fields.text(request.text, rules.LONGEST_CLAIM)
    replaced = named(concerning(context, state.memories, everything=True), request.memory, "memory")
    _active(replaced)
    scoped = fields.scoped(context, replaced.scope)
    # The key stays, and may hold words of what it was made of.
    before = classify.level(replaced.text, replaced.level)
    level = classify.highest((before, fields.level(request.classification, replaced)))
    item = _memory(engine, claim, scoped, replaced.key, level, fields.sources(context, request.source))
    held = concerning(context, state.memories, everything=False)
    return _made(MEMORY_TYPE, item, replaced, contradictions.against(held, claim, replaced.key, [replaced]))


def end(state: Fold, request: MemoryEndRequest, status: str) -> Proposal:
    """Say that a memory was wrong (`invalid`) or no longer holds (`expired`)."""
    target = named(state.memories, request.memory, "memory")
    return _ended(MEMORY_TYPE, target, status, request.reason)


def still(context: Context, state: Fold, proposal: Proposal) -> None:
    """Check again that a proposal goes with what is kept by now.

    Raises:
        UsageError: what it replaces or ends is not active any more, or it contradicts a memory.
    """
    items = state.pins if proposal.type == PIN_TYPE else state.memories
    if proposal.target is not None:
        _active(named(items, proposal.target.id, "item"))
        return
    made = proposal.change.item if isinstance(proposal.change, Made) else None
    if isinstance(made, MemoryItem):
        contradictions.agreeing(
            made.claim, made.key, [item for item in items if fields.same_scope(item, context, made)]
        )


def counts(engine: Engine, context: Context, proposal: Proposal) -> None:
    """Check that a proposal would have an effect.

    Raises:
        UsageError: it is for the project, where a person let what this session keeps stop counting.
    """
    made = proposal.change.item if isinstance(proposal.change, Made) else proposal.target
    if made is None or made.scope != "project":
        return
    here = (sync.project_of(context.row.cwd), context.row.session_id)
    if any((project, session) == here for project, session, _ in mutations.excluded(engine.history)):
        told = f"backstory memory include {quote(context.session)} lets it count again"
        raise UsageError("what this session keeps for its project does not count", advice=told)


def _active(target: Kept) -> None:
    if target.status != "active":
        raise UsageError(f"{target.id} is {target.status} already")


def _made(type_: str, item: PinItem | MemoryItem, replaced: Kept | None, against: tuple[Kept, ...] = ()) -> Proposal:
    operation, previous = ("add", None) if replaced is None else ("supersede", replaced.id)
    return Proposal(
        type_, item.id, Made(operation=operation, previous_id=previous, item=item), replaced, against=against
    )


def _ended(type_: str, target: Kept, status: str, reason: str | None) -> Proposal:
    _active(target)
    if reason is not None and len(reason) > rules.LONGEST_REASON:
        raise UsageError(f"a reason has at most {rules.LONGEST_REASON} characters")
    pin, memory = (target.id, None) if type_ == PIN_TYPE else (None, target.id)
    change = Ended(operation="status", pin_id=pin, memory_id=memory, status=status, reason=reason or None)
    return Proposal(type_, target.id, change, target)


def _memory(engine: Engine, claim: str, scoped: Scoped, key: str | None, level: str, sources: list[str]) -> MemoryItem:
    return MemoryItem(
        scope=scoped.scope, project_path=scoped.project_path,
        id=engine.new_id(), claim=claim, created_at=engine.now(), source_entry_ids=sources,
        classification=level, key=key or None,
    )  # fmt: skip


def _check_budget(context: Context, active: Sequence[Kept], item: PinItem, replaced: Kept | None, room: int) -> None:
    """Refuse a pin that would make all pins of the session larger than what a call allows them, as calls quote them."""
    pinned = Kept(
        kind="pin", id=item.id, scope=item.scope, text=item.content, created=item.created_at,
        session=context.row.session_id, mutation=item.id,
        branch=context.leaf.entry_id if context.leaf is not None else None, source_file=item.source_file,
        sources=(item.id, *filter(None, [item.source_entry_id])),
        supersedes=replaced.id if replaced is not None else None,
    )  # fmt: skip
    held = (*concerning(context, active, everything=False), pinned)
    total = sum(memory_select.pin_message(pin, _cost).tokens for pin in held)
    if total > room:
        raise UsageError(f"all pins together would take {total} tokens; {room} are allowed")


def _cost(text: str) -> int:
    return CHARS.plain("user", text)
