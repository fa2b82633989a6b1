"""Gathers what the content of one Claude Code message says, calls and answers.

Thinking, images and provider blocks add to the size only. Used by `parse` next to this module.
"""

import msgspec

from backstory.sources import arguments
from backstory.sources.adapters.claude_code.records import Block, Part
from backstory.sources.blocks import IMAGE_CHARS


class Gathered(msgspec.Struct, gc=False):
    """Texts somebody wrote, tool lines (names with arguments, results), call ids, tool names, paths and size."""

    texts: list[str] = []
    lines: list[str] = []
    call_ids: list[str] = []
    names: list[str] = []
    paths: list[str] = []
    results: int = 0
    calls: int = 0
    chars: int = 0


def gather(content: str | list[Block] | None) -> Gathered:
    """Everything searchable in a message and the number of characters a model call carries for it."""
    found = Gathered()
    if isinstance(content, str):
        found.texts.append(content)
        found.chars = len(content)
    elif content:
        for block in content:
            _add(found, block)
    return found


def result_text(content: str | list[Part] | Part | None) -> str:
    """The text of a tool result, its images left out."""
    if content is None or isinstance(content, str):
        return content or ""
    parts = content if isinstance(content, list) else [content]
    return "\n".join(part.text for part in parts if part.text)


def _add(found: Gathered, block: Block) -> None:
    kind = block.type
    if kind == "text":
        found.texts.append(block.text)
        found.chars += len(block.text)
    elif block.tool_use_id is not None or kind == "tool_result":
        _add_result(found, block)
    elif kind == "thinking":
        found.chars += len(block.thinking)
    elif block.input is not None and block.name:
        _add_call(found, block)
    elif kind == "image":
        found.chars += IMAGE_CHARS


def _add_call(found: Gathered, block: Block) -> None:
    found.calls += 1
    found.names.append(block.name)
    found.lines.append(block.name)
    found.lines.extend(arguments.lines(block.input))
    found.paths.extend(arguments.paths(block.input))
    found.chars += len(block.name) + arguments.size(block.input)
    if block.id:
        found.call_ids.append(block.id)


def _add_result(found: Gathered, block: Block) -> None:
    text = result_text(block.content)
    found.results += 1
    found.lines.append(text)
    found.chars += len(text)
    if isinstance(block.content, list):
        found.chars += IMAGE_CHARS * sum(part.type == "image" for part in block.content)
    if block.tool_use_id:
        found.call_ids.append(block.tool_use_id)
