"""Turns what a model asks to keep, replace or end into a checked change, or says why it may not be.

Everything that can be known before a person is asked is checked here, and once more after the person has agreed: the
same arguments have to lead to the same change then.
"""

from msgspec import UNSET

from backstory.engine.host.hosted import Hosted
from backstory.engine.host.persistence import reads, revisions
from backstory.engine.host.tools.results import Unavailable
from backstory.engine.memory import proposals
from backstory.engine.memory.proposals import Proposal
from backstory.errors import UsageError
from backstory.privacy import classify
from backstory.privacy.secrets import redact
from backstory.records.base import Record
from backstory.records.memory import Fold, Kept
from backstory.records.memory_requests import (
    MemoryAddRequest,
    MemoryEndRequest,
    MemorySupersedeRequest,
    PinRequest,
    UnpinRequest,
)
from backstory.records.privacy import LEVELS
from backstory.records.session import Kind
from backstory.records.tools import Persistence
from backstory.store import entries

_ENDS = {"memory_invalidate": "invalid", "memory_expire": "expired"}


class ProposedChange(Record, frozen=True):
    """A change that makes sense: the proposal, what it is about, its level, and the user's message that it rests on."""

    proposal: Proposal
    kind: str
    scope: str
    level: str
    text: str
    evidence: str


def change(about: Hosted, arguments: Persistence, kind: str) -> ProposedChange:
    """The change that arguments ask for, as things are now.

    Raises:
        Unavailable: it may not be made.
    """
    target = _target(about, arguments, kind) if arguments.id is not UNSET else None
    scope = target.scope if target is not None else "session" if arguments.scope is UNSET else str(arguments.scope)
    if scope == "project" and not about.call.trusted:
        raise Unavailable("project-untrusted", "The project is not trusted, so nothing is kept for it.")
    adds = arguments.content is not UNSET
    level = _level(about, arguments, target) if adds else target.level if target is not None else "normal"
    evidence = _evidence(about)
    try:
        proposal = _proposal(about, arguments, target, (scope, level, evidence))
        proposals.counts(about.engine, about.context, proposal)
    except UsageError as error:
        raise Unavailable("boundary-failure", f"It cannot be kept: {error}.") from error
    text = " ".join(str(arguments.content).split()) if adds else target.text if target is not None else ""
    return ProposedChange(proposal, kind, scope, level, text, evidence)


def _target(about: Hosted, arguments: Persistence, kind: str) -> Kept:
    target = next((item for item in reads.items(about, kind) if item.id == arguments.id), None)
    if target is None or target.status != "active":
        raise Unavailable("target-not-active", f"No active {kind} has this id here.")
    code = str(arguments.target_revision)
    if not revisions.item_holds(about, code, target, applies=reads.applies(about, target)):
        raise Unavailable("stale-target", "It is not in the state that this targetRevision names; read it again.")
    return target


def _level(about: Hosted, arguments: Persistence, target: Kept | None) -> str:
    """The level that a text will have: what was asked, or its target has, raised by marks in the text."""
    text = str(arguments.content)
    if redact(text)[1]:
        raise Unavailable("secret-in-content", "The text holds a credential; nothing was kept.")
    asked = None if arguments.classification is UNSET else str(arguments.classification)
    before = target.level if target is not None else "normal"
    if asked is not None and LEVELS.index(asked) < LEVELS.index(before):
        raise Unavailable("invalid-classification", f"It is {before} and cannot become {asked}.")
    level = classify.level(text, asked or before)
    guard = about.guard(always=True)
    allowed = guard.target.allowed if about.settings.config.privacy.enabled else frozenset(LEVELS) - {"local-only"}
    if not guard.target.local and level not in allowed:
        raise Unavailable("provider-policy-denied", f"What is {level} cannot be kept by a model that runs elsewhere.")
    return level


def _evidence(about: Hosted) -> str:
    """The newest message of the user on the branch: what every change rests on, never what a model names."""
    branch = frozenset(about.context.branch)
    for node, _ in reversed(entries.nodes(about.engine.history, about.context.key)):
        if node.kind == Kind.PROMPT and node.seq in branch and node.entry_id:
            return node.entry_id
    raise Unavailable("provenance-unavailable", "There is no message of the user on this branch that it could rest on.")


def _proposal(about: Hosted, arguments: Persistence, target: Kept | None, decided: tuple[str, str, str]) -> Proposal:
    scope, level, evidence = decided
    engine, context, name = about.engine, about.context, about.name
    state = Fold(tuple(reads.items(about, "memory")), tuple(reads.items(about, "pin")))
    text = () if arguments.content is UNSET else (str(arguments.content),)
    reason = None if arguments.reason is UNSET else str(arguments.reason)
    replaced = target.id if target is not None else ""
    if arguments.action in {"pin_add", "pin_supersede"}:
        pin = PinRequest(
            session=name, text=text, scope=scope, classification=level, source=evidence, supersedes=replaced or None
        )
        return proposals.pin(engine, context, state, pin, room=about.settings.config.budget.pins)
    if arguments.action == "pin_unpin":
        return proposals.unpin(state, UnpinRequest(session=name, pin=replaced, reason=reason))
    if arguments.action == "memory_add":
        key = None if arguments.key is UNSET else str(arguments.key)
        memory = MemoryAddRequest(
            session=name, text=text, scope=scope, key=key, classification=level, source=(evidence,)
        )
        return proposals.remember(engine, context, state, memory)
    if arguments.action == "memory_supersede":
        newer = MemorySupersedeRequest(
            session=name, memory=replaced, text=text, classification=level, source=(evidence,)
        )
        return proposals.supersede(engine, context, state, newer)
    end = MemoryEndRequest(session=name, memory=replaced, reason=reason)
    return proposals.end(state, end, _ENDS[arguments.action])
