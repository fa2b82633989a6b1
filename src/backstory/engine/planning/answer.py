"""Turns a decided plan into the messages of the call, in sending order.

Neighbours: `engine.planning.decision` decides, `engine.planning.gate` checks them once more before they leave,
`engine.planning.manifest` says what they are.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from backstory.engine.context import Context
from backstory.engine.planning.call import Call
from backstory.engine.transcript.prepared import PreparedContent
from backstory.records.message import Message
from backstory.records.plan import Included, Plan, PlanInput
from backstory.records.planning import PlannedMessage
from backstory.text import hashing


def messages(call: Call, final: PlanInput, decided: Plan) -> tuple[PlannedMessage, ...]:
    """The messages of a plan."""
    return tuple(_message(call, final, chosen) for chosen in decided.included)


def _message(call: Call, final: PlanInput, chosen: Included) -> PlannedMessage:
    if chosen.position is None:
        supplement = final.supplements[chosen.supplement or 0]
        content = [{"type": "text", "text": supplement.text}]
        return PlannedMessage("user", chosen.kind, None, None, chosen.group, chosen.tokens, content)
    item = call.context.items[chosen.position]
    content = _content(call.context, chosen.position)
    return PlannedMessage(item.role, chosen.kind, item.entry_id, item.seq, chosen.group, chosen.tokens, content)


def _content(context: Context, at: int) -> list[dict[str, Any]]:
    """The blocks of a native message, made once as long as it is the same message."""
    message = context.messages[at]
    if at >= len(context.entries) or message is None:
        return _blocks(message)
    known = context.transcript.prepared.contents.get(context.entries[at])
    if known is None or known.message is not message:
        blocks = _blocks(message)
        known = PreparedContent(message, blocks, hashing.digest((context.items[at].role, blocks)))
        context.transcript.prepared.contents[context.entries[at]] = known
    return known.blocks


def _blocks(message: Message | None) -> list[dict[str, Any]]:
    return list(msgspec.to_builtins(message.blocks)) if message is not None else []


def digests(call: Call, decided: Plan, sent: Sequence[PlannedMessage]) -> list[bytes]:
    """The digests of role and content of what is sent, each made once as long as that stays the same."""
    prepared = call.context.transcript.prepared
    before, prepared.added = prepared.added, {}
    pairs = zip(sent, decided.included, strict=True)
    return [_digest(call.context, message, chosen.position, before) for message, chosen in pairs]


def _digest(context: Context, message: PlannedMessage, at: int | None, before: Mapping[str, bytes]) -> bytes:
    prepared, text = context.transcript.prepared, None
    if at is None:
        text = _plain(message)
    elif at < len(context.entries):
        known = prepared.contents.get(context.entries[at])
        if known is not None and known.blocks is message.content:
            return known.digest
    digest = (before.get(text) if text is not None else None) or hashing.digest((message.role, message.content))
    if text is not None:
        prepared.added[text] = digest
    return digest


def _plain(message: PlannedMessage) -> str | None:
    """The text of a message that is nothing but a text of the user, as what is added is."""
    text = message.content[0].get("text") if len(message.content) == 1 else None
    return text if message.role == "user" and message.content == [{"type": "text", "text": text}] else None
