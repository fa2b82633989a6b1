"""Pi as a source: how its session files are recognised and read."""

from typing import ClassVar

import msgspec

from backstory.records.message import Message
from backstory.records.session import Facts
from backstory.records.summary import SummaryDetails
from backstory.sources.adapters.pi import details
from backstory.sources.adapters.pi.message import message
from backstory.sources.adapters.pi.parse import Parser
from backstory.sources.adapters.pi.records import decoder, peeker
from backstory.sources.base import Source
from backstory.sources.decode import typed
from backstory.sources.locations import LOCATIONS, Location
from backstory.sources.peek import peek

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


class Pi(Source):
    """Sessions of the Pi coding agent."""

    location: ClassVar[Location] = LOCATIONS["pi"]
    summarised: ClassVar[bool] = True

    def recognise(self, path: str, head: bytes) -> bool:
        """By the header, which DSH's differs from by its clock; where it is damaged, by the entry that comes first."""
        if not path.endswith(self.location.suffixes):
            return False
        first = next(peek(peeker, head), None)
        if first is None:
            return False
        if first.type == "session":
            return first.timestamp is not None and first.created_at is None
        return first.type in _TYPES and first.parent_id is not msgspec.UNSET and isinstance(first.id, str)

    def parser(self, path: str, facts: Facts | None = None) -> Parser:
        """A parser for one session file."""
        return Parser(path, facts)

    def message(self, raw: bytes) -> Message | None:
        """The canonical message of one record."""
        return message(raw)

    def details(self, raw: bytes) -> SummaryDetails:
        """The files a summary speaks of, the branch it looks back at, and what another engine left there."""
        row = typed(decoder, raw)
        found = details.read(row.details if row is not None else None)
        leaf = row.from_id if row is not None and row.type == "branch_summary" else None
        return msgspec.structs.replace(found, leaf=leaf) if isinstance(leaf, str) else found
