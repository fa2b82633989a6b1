"""Reads texts, call arguments and tool outputs out of Codex items.

Used by `parse` and `message` next to this module.
"""

from typing import Any

import msgspec

from backstory.sources.adapters.codex.records import Item, Part
from backstory.sources.blocks import IMAGE_CHARS
from backstory.sources.decode import untyped


def texts(content: str | list[Part] | None) -> list[str]:
    """The text parts of a message, images and encrypted parts left out."""
    if isinstance(content, str):
        return [content]
    return [part.text for part in content or () if part.text]


def size(content: str | list[Part] | None) -> int:
    """Characters a model call carries for a message."""
    images = sum(part.type.endswith("image") for part in content) if isinstance(content, list) else 0
    return sum(map(len, texts(content))) + images * IMAGE_CHARS


def tool_name(item: Item) -> str:
    """The tool a call uses; calls of built-in tools are named by their type."""
    return item.name or item.type.removesuffix("_call")


def call_arguments(item: Item) -> Any:
    """The arguments of a call as values, or as text when the model did not write JSON."""
    for given in (item.arguments, item.input, item.action):
        if given is not None:
            return _parsed(given) if isinstance(given, str) else given
    return {}


def output_text(output: str | list[Part] | Part | None) -> str:
    """What a tool answered; the old form hides it in a JSON text beside the exit code."""
    if isinstance(output, str):
        if output.startswith("data:"):
            return ""
        inner = _parsed(output) if output.startswith("{") else None
        hidden = inner.get("output") if isinstance(inner, dict) and "metadata" in inner else None
        return hidden if isinstance(hidden, str) else output
    if isinstance(output, Part):
        return output.text or output.content or output.output or ""
    return "\n".join(texts(output))


def _parsed(text: str) -> Any:
    try:
        return untyped(text.encode())
    except msgspec.DecodeError:
        return text
