"""Codex CLI as a source: how its session files are recognised and read."""

import re
from typing import ClassVar

from backstory.records.message import Message
from backstory.records.session import Facts
from backstory.sources.adapters.codex.message import message
from backstory.sources.adapters.codex.parse import Parser
from backstory.sources.base import Source
from backstory.sources.locations import LOCATIONS, Location

_LINE = re.compile(
    rb'^\s*\{(?:"timestamp"\s*:\s*"[^"]*"\s*,\s*)?(?:"ordinal"\s*:\s*\d+\s*,\s*)?"type"\s*:\s*'
    rb'"(?:session_meta|response_item|event_msg|turn_context|compacted|world_state)"\s*,\s*"payload"\s*:',
    re.MULTILINE,
)
_OLD_HEADER = re.compile(rb'^\s*\{"id"\s*:\s*"[^"]*"\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*"(?:instructions|git)"\s*:')
_OLD_STATE = re.compile(rb'^\s*\{"record_type"\s*:\s*"state"', re.MULTILINE)


class Codex(Source):
    """Sessions of Codex CLI."""

    location: ClassVar[Location] = LOCATIONS["codex"]

    def recognise(self, path: str, head: bytes) -> bool:
        """By a wrapped item of the new form, or by the header or state line of the old one."""
        if not path.endswith(self.location.suffixes):
            return False
        return bool(_LINE.search(head) or _OLD_HEADER.match(head) or _OLD_STATE.search(head))

    def parser(self, path: str, facts: Facts | None = None) -> Parser:
        """A parser for one rollout file."""
        return Parser(path, facts)

    def message(self, raw: bytes) -> Message | None:
        """The canonical message of one record."""
        return message(raw)
