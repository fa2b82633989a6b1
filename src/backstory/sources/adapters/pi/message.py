"""The canonical message of one Pi record, every block included.

Search text is `parse`'s concern; this is what a model call would carry. Before it: `records`.
"""

from backstory.records import message as canonical
from backstory.sources.adapters.pi.records import Block, Said, decoder
from backstory.sources.adapters.pi.usage import counted
from backstory.sources.blocks import base64_length, converted, noted, pictured
from backstory.sources.decode import typed

_ROLES = {"user": "user", "custom": "user", "hookMessage": "user", "assistant": "assistant", "system": "system"}


def message(raw: bytes) -> canonical.Message | None:
    """The message of a record, None for records without one.

    A failed or aborted answer is given too; its `stop` says that Pi would not send it again.
    """
    row = typed(decoder, raw)
    if row is None:
        return None
    if row.type == "message" and row.message:
        return _said(row.message)
    if row.type == "custom_message":
        return canonical.Message("user", converted(row.content, _block))
    if row.type == "compaction" or (row.type == "branch_summary" and row.summary):
        return _text("user", row.summary)
    if row.type == "context_edit" and row.replacement:
        return canonical.Message("user", converted(row.replacement.content, _block))
    return None


def _said(said: Said) -> canonical.Message | None:
    if said.role == "toolResult":
        text, images = noted(said.content), pictured(said.content)
        result = canonical.ToolResult(said.tool_call_id or "", text, error=bool(said.is_error), images=images)
        return canonical.Message("tool", (result,))
    if said.role == "bashExecution":
        shown = f"The user ran `{said.command}`:\n```\n{said.output}\n```"
        return None if said.exclude_from_context else _text("user", shown)
    if said.role == "system":
        sections = [section for section in (said.sections or {}).values() if section]
        return _text("system", "\n\n".join([*filter(None, [noted(said.content)]), *sections]))
    role = _ROLES.get(said.role)
    if role is None:
        return None
    model = f"{said.provider}/{said.model}" if said.provider and said.model else said.model
    return canonical.Message(
        role, converted(said.content, _block), model=model, stop=said.stop_reason, usage=counted(said.usage)
    )


def _text(role: str, text: str) -> canonical.Message:
    return canonical.Message(role, (canonical.Text(text),))


def _block(given: Block) -> canonical.Block | None:
    if given.type == "text":
        return canonical.Text(given.text)
    if given.type == "thinking":
        return canonical.Thinking(given.thinking)
    if given.type == "toolCall":
        return canonical.ToolCall(given.id or "", given.name, given.arguments)
    if given.type == "image":
        return canonical.Image(given.mime_type, base64_length(given.data))
    return None
