"""Plans the call that a host is about to make, and words the plan as edits of the host's own list.

Of that list only names come, and messages that the session's log does not hold; the log is followed here. Whatever
cannot be planned raises: the host then goes on with its own list.
"""

import os
from collections.abc import Callable, Sequence
from typing import cast

import msgspec

from backstory.engine import settings, transcripts
from backstory.engine.host.edits import Edit, Sent, edits
from backstory.engine.host.host import Host
from backstory.engine.host.native import canonical, changed
from backstory.engine.host.news import indexed_root
from backstory.engine.host.sessions import Given, HostSession, digest, entry_id
from backstory.engine.planning.call import Terms
from backstory.engine.planning.plan import HostPlan, plan_given
from backstory.engine.transcript.session import Transcript
from backstory.engine.transcript.showing import Shown
from backstory.errors import CancelledError, UnreadableSourceError
from backstory.records.browsing import SessionRow
from backstory.records.config import Config
from backstory.records.host import HostCall
from backstory.records.manifest import Tools
from backstory.records.message import Message
from backstory.records.planning import PlanRequest
from backstory.records.protocol import AGAIN, Around, ContextAnswer, ContextRequest
from backstory.sources import raw, registry
from backstory.text.tokens import UNITS_PER_TOKEN

# Some providers refuse a conversation that an answer begins.
OPENING = "[The beginning of this conversation is not shown.]"
_NOTHING = Message("user", ())


def warm(host: Host) -> None:
    """Loads what a first plan needs and opens the index, so that no call waits for it."""
    with host.engine.history.read():
        registry.load("pi")


def ahead(host: Host, call: HostCall) -> None:
    """Plans the call that may come next and keeps nothing of it but what planning remembers of the session."""
    if call.file is None or not os.path.exists(call.file):
        return
    loaded = settings.effective(host.engine, call.cwd, trusted=call.trusted)
    transcript = transcripts.follow(host.engine, call.source, call.file)
    terms = Terms(loaded, call.model, ephemeral=True, trusted=call.trusted)
    asked = _request(host, call, loaded.config, transcript, Around())
    plan_given(host.engine, asked, transcript, terms=terms, later=lambda _: None)


def answer(host: Host, request: ContextRequest) -> ContextAnswer:
    """The edits of one call.

    Raises:
        UsageError: the list goes on from another one than that which is remembered.
        BackstoryError: the log, the index or the plan failed.
        CancelledError: the host waits no longer; it makes no call of this plan.
        ValueError: the plan would break the list.
    """
    call = request.call
    loaded = settings.effective(host.engine, call.cwd, trusted=call.trusted)
    config = loaded.config
    seen = host.sessions.of(call.session)
    names = seen.take(request.keep, request.entries)
    if config.mode == "off" or not names:
        return ContextAnswer(guarded=config.privacy.enabled)
    source = registry.load(call.source)
    raws = {at: bytes(one) for at, one in request.messages.items()}
    seen.learn({at: Given(one, canonical(source, one) or _NOTHING) for at, one in raws.items()})
    transcript = _transcript(host, call, seen)
    shown, need = _shown(transcript, seen, names)
    if need:
        return ContextAnswer(need=tuple(need), guarded=config.privacy.enabled)
    kept: list[Callable[[], object]] = []
    tools = _tools(request.fixed)
    terms = Terms(loaded, call.model, call.ephemeral, call.trusted, request.switch, tools, config.mode != "active")
    asked = _request(host, call, config, transcript, request.fixed)
    planned = plan_given(host.engine, asked, transcript, shown, terms, later=kept.append)
    if host.engine.cancelled():
        raise CancelledError("the host waits no longer")
    found = _edits(transcript, seen, names, planned) if config.mode == "active" else None
    base = request.base if AGAIN in host.capabilities else None
    told = seen.tell(found, planned.manifest, base) if found is not None else None
    # Only now: of a plan that could not be told the host makes no call.
    for job in kept:
        host.hold(job)
    return ContextAnswer(told, (), planned.manifest, config.privacy.enabled)


def _transcript(host: Host, call: HostCall, seen: HostSession) -> Transcript:
    """The session's log as it stands; an empty one where there is none, or none yet."""
    if call.file is not None:
        try:
            return transcripts.follow(host.engine, call.source, call.file)
        except UnreadableSourceError:
            if os.path.exists(call.file):
                raise
    if seen.unwritten is None:
        row = SessionRow(
            source=call.source, session_id=call.session, title=None, cwd=call.cwd, created=None, updated=None,
            entries=0, malformed=0, origin="main", parent=None, model=None, missing=False, path=call.file or "",
        )  # fmt: skip
        seen.unwritten = Transcript(row, 0, lambda _: ())
    return seen.unwritten


def _shown(transcript: Transcript, seen: HostSession, names: Sequence[str]) -> tuple[list[Shown], list[int]]:
    """The host's list as the planner takes it, and the positions of messages that nobody here knows."""
    places = seen.placed(transcript)
    need: list[int] = []
    if None not in places:
        return cast("list[Shown]", places[:]), need
    other: dict[int, Shown] = {}
    for at in [at for at, place in enumerate(places) if place is None]:
        id_, mark = entry_id(names[at]), digest(names[at])
        if known := seen.given.get(mark):
            other[at] = (id_, known.message) if id_ and transcript.position(id_) is not None else known.message
        else:
            need.append(at)
    return [other.get(at, 0) if place is None else place for at, place in enumerate(places)], need


def _request(host: Host, call: HostCall, config: Config, transcript: Transcript, fixed: Around) -> PlanRequest:
    root = indexed_root(host, call) if config.project.enabled else None
    return PlanRequest(
        session=transcript.name,
        leaf=call.leaf if call.leaf and transcript.position(call.leaf) is not None else None,
        fixed=-(-(fixed.system + fixed.tools) // UNITS_PER_TOKEN),
        project=str(root) if root is not None else None,
        no_sync=True,
    )


def _tools(fixed: Around) -> Tools:
    return Tools(-(-fixed.tools // UNITS_PER_TOKEN), fixed.names)


def _edits(
    transcript: Transcript, seen: HostSession, names: Sequence[str], planned: HostPlan
) -> tuple[Edit, ...] | None:
    sent: list[Sent] = []
    for message, position, other in zip(planned.messages, planned.positions, planned.changed, strict=True):
        if position is None:
            sent.append(Sent(None, "\n".join(block.get("text", "") for block in message.content)))
            continue
        if not sent and message.role == "assistant" and position:
            sent.append(Sent(None, OPENING))
        native = _native(transcript, seen, names[position]) if other else None
        sent.append(Sent(position, fields=changed(native, message.content) if native is not None else None))
    return edits(len(names), sent)


def _native(transcript: Transcript, seen: HostSession, name: str) -> bytes:
    """A message as the host has it, from what it sent or from its log."""
    if known := seen.given.get(digest(name)):
        return known.raw
    entry = transcript.named(entry_id(name))
    found = raw.read(transcript.path, {0: (entry.offset, entry.length)}) if entry is not None else {}
    if 0 not in found:
        raise ValueError("a message is to be changed that nobody has any more")
    row = msgspec.json.decode(raw.bare(found[0]), type=dict[str, msgspec.Raw])
    return bytes(row["message"]) if "message" in row else _summary(row)


def _summary(row: dict[str, msgspec.Raw]) -> bytes:
    """The message that Pi makes of an entry which is none itself."""
    if "content" in row:
        return b'{"role":"custom","content":' + bytes(row["content"]) + b"}"
    return b'{"role":"compactionSummary"}'
