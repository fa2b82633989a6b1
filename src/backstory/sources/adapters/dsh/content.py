"""Turns the data of DSH events into searchable text: parts trimmed, empty ones left out, one per line.

Reasoning and images add to the size only. Used by `parse` next to this module.
"""

from typing import Any

import msgspec

from backstory.sources import arguments
from backstory.sources.adapters.dsh.records import Content, Said
from backstory.sources.blocks import IMAGE_CHARS
from backstory.sources.decode import untyped


class Gathered(msgspec.Struct, gc=False):
    """Parts of the text, call ids, tool names, paths and size of one message."""

    parts: list[str] = []
    call_ids: list[str] = []
    names: list[str] = []
    paths: list[str] = []
    spoken: bool = False
    chars: int = 0

    @property
    def text(self) -> str:
        """Everything searchable."""
        return joined(self.parts)


def joined(parts: list[str]) -> str:
    """The text made of some parts."""
    return parts[0].strip() if len(parts) == 1 else "\n".join(filter(None, map(str.strip, parts)))


def gather(content: Content) -> Gathered:
    """Everything searchable in a content and the number of characters a model call carries for it."""
    found = Gathered()
    _add(found, content)
    return found


def add_call(found: Gathered, name: str, given: Any) -> None:
    """Note the name and arguments of a call; arguments are the JSON text the model wrote."""
    text = given if isinstance(given, str) else "\n".join(arguments.lines(given))
    found.parts += (name, text)
    found.names.append(name)
    found.paths += arguments.paths(_parsed(given))
    found.chars += len(name) + arguments.size(given)


def failure(data: Said) -> list[str]:
    """Name and code of what went wrong in a tool."""
    error = data.error
    return [part for part in (error.name, error.code) if isinstance(part, str)] if error else []


def ending(reason: Any) -> str:
    """What a turn's end says: how it failed, was stopped or why it was blocked; nothing when it was completed."""
    if isinstance(reason, str):
        reason = {"kind": reason}
    if not isinstance(reason, dict) or not isinstance(kind := reason.get("kind"), str) or kind == "completed":
        return ""
    details = [value for key, value in reason.items() if key != "kind"]
    if kind == "error":
        details = [detail.get("message") if isinstance(detail, dict) else detail for detail in details]
    elif kind == "aborted":
        details = [detail.get("reason") if isinstance(detail, dict) else detail for detail in details]
    told = arguments.lines(details)
    return joined(told if kind == "blocked" else [kind, *told])


def _add(found: Gathered, content: Content) -> None:
    if isinstance(content, str):
        found.parts.append(content)
        found.chars += len(content)
        return
    for block in content or ():
        if block.type == "text":
            found.spoken = True
            found.parts.append(block.text)
            found.chars += len(block.text)
        elif block.type == "reasoning":
            found.chars += len(block.text)
        elif block.type == "tool-call":
            add_call(found, block.name, block.arguments)
            found.call_ids += [block.id] if block.id else []
        elif block.type == "image":
            found.chars += IMAGE_CHARS
        elif block.type == "tool-result":
            _add_result(found, block.tool_call_id, block.content)


def _add_result(found: Gathered, call_id: str | None, content: Content) -> None:
    inner = gather(content)
    found.parts += inner.parts
    found.chars += inner.chars
    found.call_ids += [call_id] if call_id else []


def _parsed(given: Any) -> Any:
    if isinstance(given, str) and given.startswith("{"):
        try:
            return untyped(given.encode("utf-8", "replace"))
        except msgspec.DecodeError:
            return given
    return given
