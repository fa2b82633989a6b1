"""Turns a decided plan into the messages of the call, in sending order.

Neighbours: `engine.planning.plan` decides, `engine.planning.gate` checks them once more before they leave,
`engine.planning.manifest` says what they are.
"""

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


def digest(call: Call, message: PlannedMessage, chosen: Included) -> bytes:
    """The digest of role and content of a message that is sent, made once as long as it is the same message."""
    entries, at = call.context.entries, chosen.position
    known = call.context.transcript.prepared.contents.get(entries[at]) if at is not None and at < len(entries) else None
    if known is not None and known.blocks is message.content:
        return known.digest
    return hashing.digest((message.role, message.content))
