"""Reads the messages of a session's entries from its log again, by the byte ranges that the index knows.

A record whose bytes are no longer those that were indexed is left out and told. Which entries a call sees is for
`engine.context` to say.
"""

from collections.abc import Sequence

import msgspec

from backstory.errors import UnreadableSourceError
from backstory.records.browsing import SessionRow
from backstory.records.message import Message, Thinking, ToolCall, ToolResult
from backstory.records.problem import Problem
from backstory.records.session import Kind
from backstory.sources import raw, registry
from backstory.store.context import Place
from backstory.text.tokens import BLOCK_TOKENS, MESSAGE_TOKENS, UNITS_PER_TOKEN


def newest(
    row: SessionRow, places: Sequence[Place], pinned: Sequence[int], room: int
) -> tuple[list[Message | None], frozenset[int], tuple[Problem, ...]]:
    """Messages of the newest entries up to `room` tokens, of summaries and of pinned entries.

    Also the positions that were not read, and what could not be.
    """
    wanted: list[int] = []
    for position in range(len(places) - 1, -1, -1):
        place = places[position]
        if room > 0 or place.kind == Kind.SUMMARY or place.role == "system" or position in pinned:
            wanted.append(position)
        room -= estimate(place)
    found, told = read(row, places, wanted)
    return [found.get(at) for at in range(len(places))], frozenset(range(len(places))).difference(wanted), told


def read(
    row: SessionRow, places: Sequence[Place], wanted: Sequence[int]
) -> tuple[dict[int, Message], tuple[Problem, ...]]:
    """The messages at some positions as far as the log still has them."""
    source = registry.load(row.source)
    found: dict[int, Message] = {}
    told: list[Problem] = []
    try:
        raws = raw.read(row.path, {at: (places[at].offset, places[at].length) for at in wanted})
    except UnreadableSourceError as error:
        return found, (Problem(error.path, error.reason),)
    for position, record in sorted(raws.items()):
        if raw.digest(record) != places[position].hash:
            told.append(Problem(row.path, f"the record of entry {places[position].seq} is not what was indexed"))
            continue
        try:
            message = _sendable(source.message(raw.bare(record)))
        except msgspec.DecodeError:
            told.append(Problem(row.path, f"the record of entry {places[position].seq} cannot be read any more"))
        else:
            if message is not None:
                found[position] = message
    return found, tuple(told)


def estimate(place: Place) -> int:
    """Tokens of a message by the characters that the index counted."""
    return MESSAGE_TOKENS + BLOCK_TOKENS + 2 + -(-place.chars // UNITS_PER_TOKEN)


def _sendable(message: Message | None) -> Message | None:
    """A message as another call may carry it.

    Reasoning goes back only to the model that wrote it, in a form no log keeps; a call or result without an id (of a
    search that the provider itself ran, for one) cannot be matched to its other half.
    """
    if message is None:
        return None
    kept = tuple(
        block
        for block in message.blocks
        if not isinstance(block, Thinking) and not (isinstance(block, ToolCall | ToolResult) and not block.id)
    )
    return message if len(kept) == len(message.blocks) else msgspec.structs.replace(message, blocks=kept)
