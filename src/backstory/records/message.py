"""Canonical messages: one form for the content of every source, used for showing and planning.

Unlike the searchable text of an entry, a message keeps everything a model call would carry.
"""

from typing import Any

import msgspec

from backstory.records.base import Record
from backstory.records.budget import Usage


class Text(Record, frozen=True, tag="text"):
    """Plain text."""

    text: str


class Thinking(Record, frozen=True, tag="thinking"):
    """Reasoning text; never searchable, sent back only to the model that wrote it."""

    text: str


class ToolCall(Record, frozen=True, tag="tool_call"):
    """A call: `arguments` is the JSON object the model wrote (a string when it was not valid JSON)."""

    id: str
    name: str
    arguments: Any


class ToolResult(Record, frozen=True, tag="tool_result"):
    """The answer to one call; `content` is its text, in which images are noted as `[image]`; `images` counts any."""

    id: str
    content: str
    error: bool = False
    images: int | msgspec.UnsetType = msgspec.UNSET


class Image(Record, frozen=True, tag="image"):
    """An image: `media_type` and the number of base64 characters, never the bytes."""

    media_type: str
    size: int


Block = Text | Thinking | ToolCall | ToolResult | Image


class Message(Record, frozen=True):
    """What one entry contributes to a model call. `role` is system, user, assistant or tool.

    `usage` is what the provider counted for the call that a model's message answered, where its log says so.
    """

    role: str
    blocks: tuple[Block, ...]
    model: str | None = None
    stop: str | None = None
    usage: Usage | None = None
