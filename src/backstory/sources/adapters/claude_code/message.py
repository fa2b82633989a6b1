"""The canonical message of one Claude Code record, every block included.

Search text is `parse`'s concern; this is what a model call would carry. Before it: `records`.
"""

from backstory.records import message as canonical
from backstory.sources.adapters.claude_code.content import result_text
from backstory.sources.adapters.claude_code.records import Block, Part, Row, decoder
from backstory.sources.adapters.claude_code.usage import counted
from backstory.sources.blocks import base64_length, noted, pictured
from backstory.sources.decode import typed


def message(raw: bytes) -> canonical.Message | None:
    """The message of a user or assistant record, or of a prompt queued between two; None for every other record."""
    row = typed(decoder, raw)
    if row is None or row.is_api_error_message:
        return None
    content = _content(row)
    if content is None:
        return None
    blocks = (
        (canonical.Text(content),)
        if isinstance(content, str)
        else tuple(block for given in content if (block := _block(given)) is not None)
    )
    said = row.message
    model = said.model if said and row.type == "assistant" else None
    stop, usage = (said.stop_reason, counted(said.usage)) if said else (None, None)
    return canonical.Message(_role(row, blocks), blocks, model=model, stop=stop, usage=usage if model else None)


def _content(row: Row) -> str | list[Block] | None:
    if row.type == "attachment":
        given = row.attachment
        return given.prompt if given and given.type == "queued_command" else None
    if row.type not in {"user", "assistant"} or row.message is None:
        return None
    hidden = row.is_visible_in_transcript_only and not row.is_compact_summary
    return None if hidden else row.message.content


def _role(row: Row, blocks: tuple[canonical.Block, ...]) -> str:
    if row.type == "assistant":
        return "assistant"
    only_results = blocks and all(isinstance(block, canonical.ToolResult) for block in blocks)
    return "tool" if only_results else "user"


def _block(given: Block) -> canonical.Block | None:
    if given.type == "text":
        return canonical.Text(given.text)
    if given.type == "thinking":
        return canonical.Thinking(given.thinking)
    if given.tool_use_id is not None or given.type == "tool_result":
        said, images = _noted(given.content), pictured(given.content)
        return canonical.ToolResult(given.tool_use_id or "", said, error=bool(given.is_error), images=images)
    if given.input is not None and given.name:
        return canonical.ToolCall(given.id or "", given.name, given.input)
    if given.type == "image" and (picture := given.source):
        return canonical.Image(picture.media_type, base64_length(picture.data))
    return None


def _noted(content: str | list[Part] | Part | None) -> str:
    return noted(content) if isinstance(content, list) else result_text(content)
