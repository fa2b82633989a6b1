"""Gathers what the content of one Pi message says and calls.

Thinking and images add to the size only. Used by `parse` next to this module.
"""

import msgspec

from backstory.sources import arguments
from backstory.sources.adapters.pi.records import Content
from backstory.sources.blocks import IMAGE_CHARS

# What this tool was asked to keep stands in records of its own, each under its own level; nothing else repeats it.
KEEPER = "context_persistence"


class Gathered(msgspec.Struct, gc=False):
    """Texts, tool lines (names with arguments), call ids, tool names, paths and size of one message."""

    texts: list[str] = []
    lines: list[str] = []
    call_ids: list[str] = []
    names: list[str] = []
    paths: list[str] = []
    chars: int = 0

    @property
    def text(self) -> str:
        """Everything searchable."""
        return "\n".join(self.texts + self.lines)


def gather(content: Content) -> Gathered:
    """Everything searchable in a content and the number of characters a model call carries for it."""
    found = Gathered()
    if isinstance(content, str):
        found.texts.append(content)
        found.chars = len(content)
        return found
    for block in content or ():
        if block.type == "text":
            found.texts.append(block.text)
            found.chars += len(block.text)
        elif block.type == "thinking":
            found.chars += len(block.thinking)
        elif block.type == "toolCall":
            add_call(found, block.name, block.arguments)
            found.chars += len(block.name) + arguments.size(block.arguments)
            if block.id:
                found.call_ids.append(block.id)
        elif block.type == "image":
            found.chars += IMAGE_CHARS
    return found


def add_call(found: Gathered, name: str, given: object) -> None:
    """Note the name, arguments and paths of a call."""
    found.names.append(name)
    found.lines.append(name)
    if name == KEEPER:
        return
    found.lines.extend(arguments.lines(given))
    found.paths.extend(arguments.paths(given))
