"""The parts of Pi's records that matter; everything else is skipped while decoding.

Left out on purpose: tool result details, signatures, image bytes. Read by `parse`, `message` and `source` next to
this module.
"""

from typing import Any

import msgspec


class Block(msgspec.Struct, gc=False, rename="camel"):
    """One content block; the base64 text of an image is referred to, never copied."""

    type: str = ""
    text: str = ""
    thinking: str = ""
    id: str | None = None
    name: str = ""
    arguments: Any = None
    mime_type: str = ""
    data: msgspec.Raw = msgspec.Raw()


Content = str | list[Block] | None


class Nested(msgspec.Struct, gc=False):
    """A call that a script made inside a tool call."""

    name: str = ""
    arguments: Any = None


class NestedCalls(msgspec.Struct, gc=False):
    """The calls of one script."""

    calls: list[Nested] = []


class Said(msgspec.Struct, gc=False, rename="camel"):
    """A message of any role."""

    role: str = ""
    content: Content = None
    timestamp: Any = None
    provider: str | None = None
    model: str | None = None
    stop_reason: str | None = None
    error_message: str | None = None
    duration_ms: Any = None
    tool_call_id: str | None = None
    tool_name: str | None = None
    is_error: bool | None = None
    nested_calls: NestedCalls | None = None
    command: str = ""
    output: str = ""
    exclude_from_context: bool | None = None
    custom_type: str | None = None
    sections: dict[str, str | None] | None = None
    tools_added: msgspec.Raw = msgspec.Raw()
    usage: msgspec.Raw = msgspec.Raw()


class Replacement(msgspec.Struct, gc=False):
    """What an edit puts in place of its target's content."""

    content: Content = None


class Row(msgspec.Struct, gc=False, rename="camel"):
    """One line of a session file: the header or an entry."""

    type: str = ""
    id: str | None = None
    parent_id: str | None = None
    from_id: Any = None
    timestamp: Any = None
    version: Any = None
    cwd: str | None = None
    parent_session: str | None = None
    branched_from: str | None = None
    message: Said | None = None
    provider: str | None = None
    model_id: str | None = None
    name: str | None = None
    label: str | None = None
    target_id: str | None = None
    custom_type: str | None = None
    content: Content = None
    summary: str = ""
    first_kept_entry_id: str | None = None
    first_kept_entry_index: int | None = None
    system_message: msgspec.Raw = msgspec.Raw()
    details: Any = None
    replacement: Replacement | None = None


class Peek(msgspec.Struct, gc=False, rename="camel"):
    """As much of a line as tells whose it is."""

    type: str = ""
    id: Any = None
    parent_id: Any = msgspec.UNSET
    timestamp: Any = None
    created_at: Any = None


decoder = msgspec.json.Decoder(Row)
peeker = msgspec.json.Decoder(Peek)
