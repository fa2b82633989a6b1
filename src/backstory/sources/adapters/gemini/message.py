"""The canonical message of one Gemini record.

A record with tool results carries calls and results in one message, each result right after its call. Before it:
`records`, `content`.
"""

from collections.abc import Iterator

from backstory.records import message as canonical
from backstory.sources.adapters.gemini import content
from backstory.sources.adapters.gemini.records import Parts, Turn, decoder
from backstory.sources.blocks import base64_length
from backstory.sources.decode import typed

_ROLES = {"user": "user", "gemini": "assistant"}


def message(raw: bytes) -> canonical.Message | None:
    """The message of a user or model record; None for headers, patches and notices."""
    row = typed(decoder, raw)
    role = _ROLES.get(row.type) if row else None
    if row is None or role is None:
        return None
    blocks = (*_thoughts(row), *_written(row.content), *_runs(row))
    if blocks and all(isinstance(block, canonical.ToolResult) for block in blocks):
        role = "tool"
    return canonical.Message(role, blocks, model=row.model)


def _thoughts(turn: Turn) -> Iterator[canonical.Block]:
    for thought in turn.thoughts or ():
        yield canonical.Thinking("\n".join(filter(None, (thought.subject, thought.description))))


def _written(parts: Parts) -> Iterator[canonical.Block]:
    for part in content.pieces(parts):
        if part.text:
            yield canonical.Thinking(part.text) if part.thought else canonical.Text(part.text)
        if part.inline_data:
            yield canonical.Image(part.inline_data.mime_type, base64_length(part.inline_data.data))
        if call := part.function_call:
            yield canonical.ToolCall(call.id or "", call.name, call.args)
        if answer := part.function_response:
            yield canonical.ToolResult(answer.id or "", content.response_text(answer))


def _runs(turn: Turn) -> Iterator[canonical.Block]:
    for run in turn.tool_calls or ():
        yield canonical.ToolCall(run.id or "", run.name, run.args)
        if run.result is not None:
            failed = run.status not in {"", "success"}
            yield canonical.ToolResult(run.id or "", content.result_text(run), error=failed)
