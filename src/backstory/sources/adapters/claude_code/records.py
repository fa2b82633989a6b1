"""The parts of Claude Code's records that matter; everything else is skipped while decoding.

Left out on purpose: raw tool outputs beside the message, progress data, file snapshots, image bytes,
signatures. Read by `parse` and `message` next to this module.
"""

from typing import Any

import msgspec


class Part(msgspec.Struct, gc=False):
    """One piece of a tool result."""

    type: str = ""
    text: str = ""


class Picture(msgspec.Struct, gc=False):
    """An image inside a message; its base64 text is referred to, never copied."""

    media_type: str = ""
    data: msgspec.Raw = msgspec.Raw()


class Block(msgspec.Struct, gc=False):
    """One content block of a message."""

    type: str = ""
    text: str = ""
    thinking: str = ""
    id: str | None = None
    name: str = ""
    input: Any = None
    tool_use_id: str | None = None
    content: str | list[Part] | Part | None = None
    is_error: bool | None = None
    source: Picture | None = None


class Said(msgspec.Struct, gc=False):
    """The message of a user or assistant record."""

    model: str | None = None
    content: str | list[Block] | None = None
    stop_reason: str | None = None
    usage: msgspec.Raw = msgspec.Raw()


class Attachment(msgspec.Struct, gc=False):
    """What the program put into the conversation between two messages."""

    type: str = ""
    prompt: str | list[Block] | None = None
    filename: str = ""
    path: str = ""


class Origin(msgspec.Struct, gc=False, rename="camel"):
    """Where a forked record was copied from."""

    session_id: str | None = None


class Segment(msgspec.Struct, gc=False, rename="camel"):
    """The records that a compaction left in place."""

    head_uuid: str | None = None


class Compaction(msgspec.Struct, gc=False, rename="camel"):
    """Details of a compaction boundary."""

    preserved_segment: Segment | None = None


class Row(msgspec.Struct, gc=False, rename="camel"):
    """One line of a session file; its fields stand as they are written, which is how they are found fastest."""

    parent_uuid: str | None = None
    logical_parent_uuid: str | None = None
    is_sidechain: bool | None = None
    cwd: str | None = None
    session_id: str | None = None
    version: str | None = None
    type: str = ""
    subtype: str | None = None
    content: Any = None
    message: Said | None = None
    is_meta: bool | None = None
    is_compact_summary: bool | None = None
    is_visible_in_transcript_only: bool | None = None
    is_api_error_message: bool | None = None
    plan_content: str | None = None
    error: Any = None
    attachment: Attachment | None = None
    compact_metadata: Compaction | None = None
    uuid: str | None = None
    timestamp: str | None = None
    forked_from: Origin | None = None
    operation: str | None = None
    summary: str | None = None
    leaf_uuid: str | None = None
    custom_title: str | None = None
    ai_title: str | None = None
    pr_url: str | None = None
    pr_number: int | None = None
    pr_repository: str | None = None


decoder = msgspec.json.Decoder(Row)
