"""The parts of Codex's records that matter; everything else is skipped while decoding.

The new form wraps an item into `payload`, the old form writes the item bare, so one struct serves both. Images are
only referred to, and encrypted content is skipped. Read by `parse` and `message` next to this module.
"""

from typing import Any

import msgspec


class Part(msgspec.Struct, gc=False):
    """One piece of a message, a reasoning summary or a tool's output."""

    type: str = ""
    text: str | None = None
    content: str | None = None
    output: str | None = None
    image_url: msgspec.Raw = msgspec.Raw()


class Piece(msgspec.Struct, gc=False):
    """One message of the history that a compaction leaves behind."""

    type: str = ""
    role: str = ""
    content: str | list[Part] | None = None


class Goal(msgspec.Struct, gc=False):
    """What a person asked a thread to reach."""

    objective: str | None = None


class Item(msgspec.Struct, gc=False):
    """The payload of a line in the new form, or a bare line in the old one."""

    type: str = ""
    id: str | None = None
    role: str | None = None
    content: str | list[Part] | None = None
    summary: str | list[Part] | None = None
    name: str | None = None
    call_id: str | None = None
    arguments: Any = None
    input: Any = None
    action: Any = None
    output: str | list[Part] | Part | None = None
    message: Any = None
    reason: str | None = None
    num_turns: int | None = None
    replacement_history: list[Piece] | None = None
    model: str | None = None
    cwd: str | None = None
    cli_version: str | None = None
    source: Any = None
    forked_from_id: str | None = None
    thread_name: str | None = None
    goal: Goal | None = None
    changes: dict[str, msgspec.Raw] | None = None


class Row(Item, gc=False):
    """One line of a rollout file."""

    timestamp: str | None = None
    payload: Item | None = None
    record_type: str | None = None


decoder = msgspec.json.Decoder(Row)
