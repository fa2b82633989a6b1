"""Pins and memories of people: proposed here, written as mutations to our own ledger, never into an agent's log.

The payloads are the ones that canonical records of sessions hold, so both are folded together and a session that is
moved to another program can take its memory along. Nothing is kept unless a person says so by a command.
"""

import uuid
from collections.abc import Sequence
from typing import Any

from backstory.engine import context, evidence
from backstory.engine.context import Context
from backstory.engine.open import Engine
from backstory.errors import UsageError
from backstory.plan import memory_rules as rules
from backstory.plan import memory_select
from backstory.plan.mutations import LEVELS
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
from backstory.records.memory import MEMORY_TYPE, PIN_TYPE, Kept
from backstory.store import ledger
from backstory.text.tokens import CHARS

PIN_TOKENS = 16_000


def pin(engine: Engine, request: PinRequest) -> KeptAnswer:
    """Pin a text.

    Raises:
        UsageError: the text, scope, level, source or replaced pin makes no sense, or pins would pass their budget.
        UnknownSessionError, AmbiguousSessionError: nothing, or too much, is called that.
    """
    given = _context(engine, request.session)
    text = rules.normal_text(" ".join(request.text), rules.LONGEST_PIN)
    _one_of("--scope", request.scope, ("session", "branch", "project"))
    active = [item for item in evidence.kept(engine, given).pins if item.status == "active"]
    place = _place(given, request.scope)
    replaced = _named(active, request.supersedes, "pin") if request.supersedes else None
    if replaced is None and (
        same := rules.repeated(text, [item for item in active if _same_place(item, given, place)])
    ):
        return KeptAnswer(same, written=False)
    if replaced is not None and replaced.scope != request.scope:
        raise UsageError(f"the pin {replaced.id} has the scope {replaced.scope}")
    _check_budget(given, [item for item in active if item is not replaced], text)
    item = {
        **place,
        "id": uuid.uuid4().hex,
        "content": text,
        "createdAt": engine.now(),
        "classification": _level(request.classification, replaced),
        **({"sourceEntryId": _source(given, request.source)} if request.source else {}),
        **({"sourceFile": request.file} if request.file else {}),
    }
    return _written(engine, given, PIN_TYPE, item, replaced)


def unpin(engine: Engine, request: UnpinRequest) -> KeptAnswer:
    """Take a pin back."""
    given = _context(engine, request.session)
    target = _named(evidence.kept(engine, given).pins, request.pin, "pin")
    change = {"operation": "status", "pinId": target.id, "status": "deleted"}
    return _ended(engine, given, PIN_TYPE, target, change, request.reason)


def pins(engine: Engine, request: KeptRequest) -> KeptList:
    """The pins that concern a session."""
    given = _context(engine, request.session)
    state = evidence.kept(engine, given)
    return KeptList(_concerning(given, state.pins, everything=request.all), state.warnings)


def memories(engine: Engine, request: KeptRequest) -> KeptList:
    """The memories that concern a session."""
    given = _context(engine, request.session)
    state = evidence.kept(engine, given)
    return KeptList(_concerning(given, state.memories, everything=request.all), state.warnings)


def add(engine: Engine, request: MemoryAddRequest) -> KeptAnswer:
    """Remember a claim.

    Raises:
        UsageError: the claim, scope, level or a source makes no sense, or it contradicts what is remembered already.
    """
    given = _context(engine, request.session)
    claim = rules.normal_text(" ".join(request.text), rules.LONGEST_CLAIM)
    _one_of("--scope", request.scope, ("session", "project"))
    place = _place(given, request.scope)
    known = [item for item in evidence.kept(engine, given).memories if _same_place(item, given, place)]
    if same := rules.repeated(claim, known):
        return KeptAnswer(same, written=False)
    key = rules.normal_key(request.key) if request.key else rules.derived_key(claim)
    if against := rules.conflicts(claim, key, known):
        names = ", ".join(item.id for item in against)
        raise UsageError(f"it contradicts {names}; replace that with: backstory memory supersede")
    item = _memory(engine, given, claim, place, key, _level(request.classification, None), request.source)
    return _written(engine, given, MEMORY_TYPE, item, None)


def supersede(engine: Engine, request: MemorySupersedeRequest) -> KeptAnswer:
    """Replace a memory by a newer claim; scope and key stay, the level unless another is given."""
    given = _context(engine, request.session)
    claim = rules.normal_text(" ".join(request.text), rules.LONGEST_CLAIM)
    known = _concerning(given, evidence.kept(engine, given).memories, everything=False)
    replaced = _named(known, request.memory, "memory")
    place = _place(given, replaced.scope)
    item = _memory(engine, given, claim, place, replaced.key, _level(request.classification, replaced), request.source)
    return _written(engine, given, MEMORY_TYPE, item, replaced)


def invalidate(engine: Engine, request: MemoryEndRequest) -> KeptAnswer:
    """Say that a memory was wrong."""
    return _end(engine, request, "invalid")


def expire(engine: Engine, request: MemoryEndRequest) -> KeptAnswer:
    """Say that a memory no longer holds."""
    return _end(engine, request, "expired")


def _end(engine: Engine, request: MemoryEndRequest, status: str) -> KeptAnswer:
    given = _context(engine, request.session)
    target = _named(evidence.kept(engine, given).memories, request.memory, "memory")
    change = {"operation": "status", "memoryId": target.id, "status": status}
    return _ended(engine, given, MEMORY_TYPE, target, change, request.reason)


def _context(engine: Engine, name: str) -> Context:
    with engine.history.read():
        return context.load(engine, name, hard=0)


def _memory(
    engine: Engine,
    given: Context,
    claim: str,
    place: dict[str, Any],
    key: str | None,
    level: str,
    sources: Sequence[str],
) -> dict[str, Any]:
    return {
        **place,
        "id": uuid.uuid4().hex,
        "claim": claim,
        "createdAt": engine.now(),
        "sourceEntryIds": [_source(given, source) for source in sources],
        "classification": level,
        **({"key": key} if key else {}),
    }


def _written(engine: Engine, given: Context, type_: str, item: dict[str, Any], replaced: Kept | None) -> KeptAnswer:
    operation = {"operation": "supersede", "previousId": replaced.id} if replaced is not None else {"operation": "add"}
    _append(engine, given, type_, {**operation, "item": item})
    return KeptAnswer(_again(engine, given, type_, item["id"]))


def _ended(
    engine: Engine, given: Context, type_: str, target: Kept, change: dict[str, Any], reason: str | None
) -> KeptAnswer:
    if target.status != "active":
        raise UsageError(f"{target.id} is {target.status} already")
    if reason is not None and len(reason) > rules.LONGEST_REASON:
        raise UsageError(f"a reason has at most {rules.LONGEST_REASON} characters")
    _append(engine, given, type_, {**change, **({"reason": reason} if reason else {})})
    return KeptAnswer(_again(engine, given, type_, target.id))


def _append(engine: Engine, given: Context, type_: str, change: dict[str, Any]) -> None:
    now, identity = engine.now(), uuid.uuid4().hex
    payload = {"schemaVersion": 1, "mutationId": identity, "createdAt": now, **change}
    ledger.append(
        engine.home,
        {
            "type": evidence.KEEP,
            "id": identity,
            "at": now,
            "custom_type": type_,
            "session": given.row.session_id,
            "project": given.row.cwd,
            "leaf": given.leaf.entry_id if given.leaf is not None else None,
            "payload": payload,
        },
    )


def _again(engine: Engine, given: Context, type_: str, id_: str) -> Kept:
    state = evidence.kept(engine, given)
    return _named(state.pins if type_ == PIN_TYPE else state.memories, id_, "item")


def _place(given: Context, scope: str) -> dict[str, Any]:
    if scope == "project":
        if not given.row.cwd:
            raise UsageError("the session has no working folder, so it has no project")
        return {"scope": scope, "projectPath": given.row.cwd}
    if scope == "branch":
        if given.leaf is None or given.leaf.entry_id is None:
            raise UsageError("the session has no branch to pin to")
        return {"scope": scope, "branchLeafId": given.leaf.entry_id}
    return {"scope": scope}


def _same_place(item: Kept, given: Context, place: dict[str, Any]) -> bool:
    if item.scope != place["scope"]:
        return False
    return item.project == place.get("projectPath") if item.scope == "project" else item.session == given.row.session_id


def _concerning(given: Context, items: Sequence[Kept], *, everything: bool) -> tuple[Kept, ...]:
    session, project, ids = given.row.session_id, given.row.cwd, given.branch_ids
    return tuple(
        item
        for item in items
        if (everything or item.status == "active") and memory_select.applies(item, session, project, ids)
    )


def _check_budget(given: Context, active: Sequence[Kept], text: str) -> None:
    """Refuse a pin that would make all pins of the session larger than what a call allows them."""
    held = _concerning(given, active, everything=False)
    total = CHARS.plain("user", text) + sum(memory_select.pin_message(one, _cost).tokens for one in held)
    if total > PIN_TOKENS:
        raise UsageError(f"all pins together would take {total} tokens; {PIN_TOKENS} are allowed")


def _cost(text: str) -> int:
    return CHARS.plain("user", text)


def _source(given: Context, name: str) -> str:
    if name not in given.branch_ids:
        raise UsageError(f"the entry {name!r} is not on the active branch")
    return name


def _level(asked: str | None, replaced: Kept | None) -> str:
    level = asked or (replaced.level if replaced is not None else "normal")
    _one_of("--classification", level, tuple(sorted(LEVELS)))
    return level


def _one_of(flag: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(f"{flag} is one of {', '.join(known)}, not {value!r}")


def _named(items: Sequence[Kept], name: str, noun: str) -> Kept:
    whole = [item for item in items if item.id == name]
    found = whole or [item for item in items if name and item.id.startswith(name)]
    if len(found) != 1:
        raise UsageError(f"no {noun}, or more than one, is called {name!r}")
    return found[0]
