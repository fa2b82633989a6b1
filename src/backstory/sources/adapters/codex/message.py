"""The canonical message of one Codex record.

Before it: `records`, `content`.
"""

from backstory.records import message as canonical
from backstory.sources.adapters.codex import content
from backstory.sources.adapters.codex.records import Item, Part, decoder
from backstory.sources.blocks import converted, pictured
from backstory.sources.decode import typed


def message(raw: bytes) -> canonical.Message | None:
    """The message of a response item or a compaction; None for events, contexts and headers."""
    row = typed(decoder, raw)
    if row is None:
        return None
    if row.type == "compacted":
        return _compacted(row.payload or row)
    if row.payload is None:
        return _item(row)
    return _item(row.payload) if row.type == "response_item" else None


def _compacted(item: Item) -> canonical.Message:
    """A compaction's message stands in for the history it leaves behind."""
    kept = [text for piece in item.replacement_history or () for text in content.texts(piece.content)]
    summary = item.message if isinstance(item.message, str) else ""
    return canonical.Message("user", tuple(canonical.Text(text) for text in kept or [summary]))


def _item(item: Item) -> canonical.Message | None:
    if item.type in {"message", "agent_message"}:
        role = item.role or "user"
        role = role if role in {"user", "assistant"} else "system"
        return canonical.Message(role, converted(item.content, _block))
    if item.type == "reasoning":
        thoughts = content.texts(item.content) or content.texts(item.summary)
        return canonical.Message("assistant", tuple(canonical.Thinking(text) for text in thoughts))
    if item.type.endswith("_call"):
        call = canonical.ToolCall(item.call_id or "", content.tool_name(item), content.call_arguments(item))
        return canonical.Message("assistant", (call,))
    if item.type.endswith("_output"):
        result = canonical.ToolResult(item.call_id or "", _noted(item.output), images=pictured(item.output))
        return canonical.Message("tool", (result,))
    return None


def _block(part: Part) -> canonical.Block | None:
    if part.type.endswith("image"):
        return _image(bytes(part.image_url))
    return None if part.text is None else canonical.Text(part.text)


def _image(url: bytes) -> canonical.Image:
    header, comma, data = url.strip(b'"').partition(b",")
    known = comma and header.startswith(b"data:")
    media_type = header[5:].partition(b";")[0].decode("ascii", "replace") if known else ""
    return canonical.Image(media_type, len(data) if known else 0)


def _noted(output: str | list[Part] | Part | None) -> str:
    if not isinstance(output, list):
        return content.output_text(output)
    return "\n".join("[image]" if part.type.endswith("image") else part.text or "" for part in output)
