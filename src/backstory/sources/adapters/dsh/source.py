"""DSH as a source: how its session files are recognised and read."""

from typing import ClassVar

from backstory.records.message import Message
from backstory.records.session import Facts
from backstory.sources.adapters.dsh.message import message
from backstory.sources.adapters.dsh.parse import Parser
from backstory.sources.adapters.dsh.records import numbered, peeker
from backstory.sources.base import Source
from backstory.sources.decode import typed
from backstory.sources.locations import LOCATIONS, Location
from backstory.sources.peek import peek


class Dsh(Source):
    """Sessions of DSH, the DeepSeek Harness."""

    location: ClassVar[Location] = LOCATIONS["dsh"]

    def recognise(self, path: str, head: bytes) -> bool:
        """By the header, whose clock differs from Pi's; where it is damaged, by the first numbered event."""
        if not path.endswith(self.location.suffixes):
            return False
        for found in peek(peeker, head):
            if found.type == "session":
                return found.created_at is not None
            if "/" in found.type and isinstance(found.seq, int) and isinstance(found.time, int):
                return isinstance(found.data, dict)
        return False

    def parser(self, path: str, facts: Facts | None = None) -> Parser:
        """A parser for one session file."""
        return Parser(path, facts)

    def message(self, raw: bytes) -> Message | None:
        """The canonical message of one event."""
        return message(raw)

    def number(self, raw: bytes) -> int | None:
        """The number of one event."""
        found = typed(numbered, raw)
        return None if found is None else found.seq if found.seq0 is None else found.seq0
