"""The parts of Gemini CLI's records that matter; what its screen shows beside them is skipped while decoding.

A line, a document and a message share one struct, for a message is told from a header by its fields only. Read by
`parse`, `message` and `documents` next to this module.
"""

from typing import Any

import msgspec


class Blob(msgspec.Struct, gc=False, rename="camel"):
    """Inline bytes, referred to and never copied."""

    mime_type: str = ""
    data: msgspec.Raw = msgspec.Raw()


class Call(msgspec.Struct, gc=False):
    """A call as the model wrote it."""

    id: str | None = None
    name: str = ""
    args: Any = None


class Response(msgspec.Struct, gc=False):
    """The answer to a call as the model sees it."""

    id: str | None = None
    name: str = ""
    response: Any = None


class Part(msgspec.Struct, gc=False, rename="camel"):
    """One piece of a message."""

    text: str | None = None
    thought: bool | None = None
    function_call: Call | None = None
    function_response: Response | None = None
    inline_data: Blob | None = None


Parts = str | Part | list[Part | str] | None


class Thought(msgspec.Struct, gc=False):
    """A summary of the model's reasoning."""

    subject: str = ""
    description: str = ""


class Run(msgspec.Struct, gc=False):
    """A tool call with its result."""

    id: str | None = None
    name: str = ""
    args: Any = None
    result: Parts = None
    status: str = ""


class Turn(msgspec.Struct, gc=False, rename="camel"):
    """One message of a conversation."""

    id: str | None = None
    type: str = ""
    timestamp: str | None = None
    content: Parts = None
    display_content: Parts = None
    tool_calls: list[Run] | None = None
    thoughts: list[Thought] | None = None
    model: str | None = None


class Patch(msgspec.Struct, gc=False, rename="camel"):
    """Changed fields of the session; `messages` replaces the whole conversation."""

    last_updated: str | None = None
    summary: str | None = None
    directories: list[str] | None = None
    messages: list[Turn] | None = None


class Row(Turn, gc=False, rename="camel"):
    """One line, or a whole document without its messages."""

    session_id: str | None = None
    project_hash: str | None = None
    start_time: str | None = None
    kind: str | None = None
    summary: str | None = None
    directories: list[str] | None = None
    patch: Patch | None = msgspec.field(name="$set", default=None)
    rewind: str | None = msgspec.field(name="$rewindTo", default=None)


decoder = msgspec.json.Decoder(Row)
