"""`/context pins`, `pin`, `unpin` and `memory`: what a person keeps, listed and changed.

A person typed these, so nothing is asked again. What is written goes where `engine.host.appending` says. Which logs
count is for `sharing` beside this module.
"""

from collections.abc import Sequence

from backstory.engine.host import appending
from backstory.engine.host.appending import Written
from backstory.engine.host.commands.about import About, told
from backstory.engine.host.commands.line import Typed, TypedWord, given
from backstory.engine.host.hosted import Hosted
from backstory.engine.memory import contradictions, proposals
from backstory.engine.memory.concerning import concerning
from backstory.engine.memory.proposals import Proposal
from backstory.errors import UsageError
from backstory.records.host import HostCall, Say, Step
from backstory.records.memory import Kept
from backstory.records.memory_requests import (
    MemoryAddRequest,
    MemoryEndRequest,
    MemorySupersedeRequest,
    PinRequest,
    UnpinRequest,
)
from backstory.text.charts import bounded, clipped, table
from backstory.text.wording import counted, when

MOST_ROWS, LONGEST_TEXT = 60, 100
_ENDED = {"deleted": "taken back", "superseded": "replaced", "invalid": "wrong", "expired": "expired"}


def pins(about: About, typed: list[TypedWord]) -> Say:
    """The pins that concern the session."""
    state = about.session.kept()
    everything = _all([word for word in typed if word.value != "list"])
    items = concerning(about.session.context, state.pins, everything=everything)
    return _list(items, state.warnings, "pin", "Nothing is pinned.")


def memory(about: About, typed: list[TypedWord]) -> Say:
    """The memories that concern the session."""
    state = about.session.kept()
    everything = _all([word for word in typed if word.value != "list"])
    items = concerning(about.session.context, state.memories, everything=everything)
    warnings = (*contradictions.disagreements(items), *state.warnings)
    return _list(items, warnings, "memory", "Nothing is remembered.")


def pin(about: About, typed: list[TypedWord]) -> Step:
    """Pin a text."""
    said = given(typed, ("scope", "classification", "source", "file", "supersedes"))
    request = PinRequest(
        session=about.name,
        text=(said.text(),),
        scope=said.options.get("scope", "session"),
        classification=said.options.get("classification"),
        source=said.options.get("source"),
        file=said.options.get("file"),
        supersedes=said.options.get("supersedes"),
    )
    session = _writable(about, request.scope)
    room = about.settings.config.budget.pins
    return _write(session, proposals.pin(about.engine, session.context, session.kept(), request, room=room))


def unpin(about: About, typed: list[TypedWord]) -> Step:
    """Take a pin back."""
    said = given(typed, ())
    session = _writable(about)
    request = UnpinRequest(session=about.name, pin=said.first("pin"), reason=said.text(1) or None)
    return _write(session, proposals.unpin(session.kept(), request))


def add(about: About, typed: list[TypedWord]) -> Step:
    """Remember a claim."""
    said = given(typed, ("scope", "classification", "key", "source"))
    request = MemoryAddRequest(
        session=about.name,
        text=(said.text(),),
        scope=said.options.get("scope", "session"),
        key=said.options.get("key"),
        classification=said.options.get("classification"),
        source=_sources(said),
    )
    session = _writable(about, request.scope)
    return _write(session, proposals.remember(about.engine, session.context, session.kept(), request))


def supersede(about: About, typed: list[TypedWord]) -> Step:
    """Replace a memory."""
    said = given(typed, ("classification", "source"))
    request = MemorySupersedeRequest(
        session=about.name,
        memory=said.first("memory"),
        text=(said.text(1),),
        classification=said.options.get("classification"),
        source=_sources(said),
    )
    session = _writable(about)
    return _write(session, proposals.supersede(about.engine, session.context, session.kept(), request))


def invalidate(about: About, typed: list[TypedWord]) -> Step:
    """Say that a memory was wrong."""
    return _end(about, typed, "invalid")


def expire(about: About, typed: list[TypedWord]) -> Step:
    """Say that a memory no longer holds."""
    return _end(about, typed, "expired")


def _end(about: About, typed: list[TypedWord], status: str) -> Step:
    said = given(typed, ())
    session = _writable(about)
    request = MemoryEndRequest(session=about.name, memory=said.first("memory"), reason=said.text(1) or None)
    return _write(session, proposals.end(session.kept(), request, status))


def _writable(about: About, scope: str = "session") -> Hosted:
    """The session, when something may be written for it now."""
    if about.call.ephemeral:
        raise UsageError("nothing of this session is kept, so nothing can be pinned or remembered in it")
    if about.settings.config.mode != "active" and appending.by_host(about.call):
        raise UsageError("calls are only observed here (mode in your settings), so nothing is written")
    if scope == "project" and not about.call.trusted:
        raise UsageError("the project is not trusted, so nothing can be kept for it")
    return about.session


def _write(session: Hosted, proposal: Proposal) -> Step:
    if proposal.same is not None:
        lines = ["This is kept already:", *_rows([proposal.same]), *_doubts(proposal)]
        return told(lines, {"id": proposal.id, "written": False})
    proposals.counts(session.engine, session.context, proposal)
    return appending.write(session, proposal, lambda call, written: _written(call, written, proposal))


def _written(call: HostCall, written: Written, proposal: Proposal) -> Say:
    if written.item is not None:
        ended = _ENDED.get(written.item.status)
        head = f"This is {ended} now:" if ended else "Kept:"
        return told([head, *_rows([written.item]), *_doubts(proposal)], {"id": written.item.id, "written": True})
    data = {"id": proposal.id, "outcome": written.outcome}
    if written.outcome == "moved":
        return told(["The session moved to another place meanwhile; nothing was written. Try again."], data, "warning")
    if written.outcome == "pending":
        return told([f"Written to {call.source}'s log; it will show once the log is read again."], data, "warning")
    lines = ["The agent reported an error while writing: it may or may not be in the log."]
    return told([*lines, "Look with /context pins or /context memory before you try again."], data, "error")


def _doubts(proposal: Proposal) -> list[str]:
    return [f"! {clipped(doubt, LONGEST_TEXT)}" for doubt in contradictions.doubts(proposal.against)]


def _list(items: Sequence[Kept], warnings: Sequence[str], noun: str, nothing: str) -> Say:
    lines = [counted(len(items), noun), *_rows(items)] if items else [nothing]
    lines += [f"! {warning}" for warning in bounded(list(warnings), 5, "more of this kind")]
    return told(lines, {"ids": [item.id for item in items]})


def _rows(items: Sequence[Kept]) -> list[str]:
    rows = []
    for item in items:
        state = "" if item.status == "active" else f" ({_ENDED.get(item.status, item.status)})"
        level = f" [{item.level}]" if item.level != "normal" else ""
        text = clipped(item.text, LONGEST_TEXT)
        rows.append((item.id[:12], item.scope + level, when(item.created), item.key or "", text + state))
    keyless = all(not row[3] for row in rows)
    shown = [(*row[:3], row[4]) for row in rows] if keyless else rows
    return bounded(table(shown), MOST_ROWS, "more")


def _all(typed: Sequence[TypedWord]) -> bool:
    if typed and typed[0].value != "all":
        raise UsageError(f"{typed[0].value!r} is no part of this command")
    return bool(typed)


def _sources(said: Typed) -> tuple[str, ...]:
    return tuple(part for part in said.options.get("source", "").split(",") if part)
