"""Pi as a source: how its session files are recognised and read."""

from collections.abc import Iterator
from typing import ClassVar

import msgspec

from backstory.records.message import Message
from backstory.records.session import Facts
from backstory.sources.adapters.pi.message import message
from backstory.sources.adapters.pi.parse import Parser
from backstory.sources.adapters.pi.records import peeker
from backstory.sources.locations import LOCATIONS, Location

_TYPES = frozenset(
    {
        "message",
        "model_change",
        "thinking_level_change",
        "session_info",
        "label",
        "custom",
        "custom_message",
        "compaction",
        "branch_summary",
        "context_edit",
        "usage",
    }
)
_LINES = 32


class Pi:
    """Sessions of the Pi coding agent."""

    location: ClassVar[Location] = LOCATIONS["pi"]

    def recognise(self, path: str, head: bytes) -> bool:
        """By the header, which DSH's differs from by its clock; where it is damaged, by the entry that comes first."""
        if not path.endswith(self.location.suffixes):
            return False
        for line in head.split(b"\n", _LINES)[:_LINES]:
            try:
                peek = peeker.decode(line.strip(b"\xef\xbb\xbf\0\r \t"))
            except msgspec.DecodeError:
                continue
            if peek.type == "session":
                return peek.timestamp is not None and peek.created_at is None
            return peek.type in _TYPES and peek.parent_id is not msgspec.UNSET and isinstance(peek.id, str)
        return False

    def document(self, path: str) -> bool:
        """Never: files are lines."""
        return False

    def parser(self, path: str, facts: Facts | None = None) -> Parser:
        """A parser for one session file."""
        return Parser(path, facts)

    def split(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Nothing, as no file is a document."""
        return iter(())

    def message(self, raw: bytes) -> Message | None:
        """The canonical message of one record."""
        return message(raw)
