"""The canonical message of one DSH event, every block included.

Search text is `parse`'s concern; this is what a model call would carry. Before it: `records`.
"""

import msgspec

from backstory.records import message as canonical
from backstory.sources.adapters.dsh import records
from backstory.sources.adapters.dsh.records import Block
from backstory.sources.blocks import converted, noted, pictured
from backstory.sources.decode import typed, untyped

_ROLES = {
    "user/message": "user",
    "steering/message": "user",
    "system/message": "system",
    "assistant/message": "assistant",
    "tool/result": "tool",
}


def message(raw: bytes) -> canonical.Message | None:
    """The message of an event, None for events that only log."""
    row = typed(records.row, raw)
    role = _ROLES.get(row.type) if row else None
    data = typed(records.said, bytes(row.data)) if row and role and bytes(row.data) else None
    if role is None or data is None:
        return None
    author = data.said.source
    model = author.model if author else None
    if author and author.provider and model:
        model = f"{author.provider}/{model}"
    return canonical.Message(role, converted(data.said.content, _block), model=model if role == "assistant" else None)


def _block(given: Block) -> canonical.Block | None:
    if given.type == "text":
        return canonical.Text(given.text)
    if given.type == "reasoning":
        return canonical.Thinking(given.text)
    if given.type == "tool-call":
        return canonical.ToolCall(given.id or "", given.name, _arguments(given.arguments))
    if given.type == "tool-result":
        said, images = noted(given.content), pictured(given.content)
        return canonical.ToolResult(given.tool_call_id or "", said, error=bool(given.is_error), images=images)
    if given.type == "image":
        return canonical.Image("", 0)
    return None


def _arguments(given: object) -> object:
    """The object the model wrote; its text when that is not valid JSON."""
    if not isinstance(given, str):
        return given
    try:
        return untyped(given.encode("utf-8", "replace"))
    except msgspec.DecodeError:
        return given
