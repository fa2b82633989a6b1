"""DSH as a source: how its session files are recognised and read."""

from collections.abc import Iterator
from typing import ClassVar

import msgspec

from backstory.records.message import Message
from backstory.records.session import Facts
from backstory.sources.adapters.dsh.message import message
from backstory.sources.adapters.dsh.parse import Parser
from backstory.sources.adapters.dsh.records import peek
from backstory.sources.locations import LOCATIONS, Location

_LINES = 32


class Dsh:
    """Sessions of DSH, the DeepSeek Harness."""

    location: ClassVar[Location] = LOCATIONS["dsh"]

    def recognise(self, path: str, head: bytes) -> bool:
        """By the header, whose clock differs from Pi's; where it is damaged, by the first numbered event."""
        if not path.endswith(self.location.suffixes):
            return False
        for line in head.split(b"\n", _LINES)[:_LINES]:
            try:
                found = peek.decode(line.strip(b"\xef\xbb\xbf\0\r \t"))
            except msgspec.DecodeError:
                continue
            if found.type == "session":
                return found.created_at is not None
            if "/" in found.type and isinstance(found.seq, int) and isinstance(found.time, int):
                return isinstance(found.data, dict)
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
        """The canonical message of one event."""
        return message(raw)
