"""Claude Code as a source: how its session files are recognised and read."""

import re
from typing import ClassVar

from backstory.records.message import Message
from backstory.records.session import Facts
from backstory.sources.adapters.claude_code.message import message
from backstory.sources.adapters.claude_code.parse import Parser
from backstory.sources.base import Source
from backstory.sources.locations import LOCATIONS, Location

_CHAINED = re.compile(rb'"parentUuid"\s*:')
_SESSION = re.compile(rb'"sessionId"\s*:')
_TYPED = re.compile(
    rb'"type"\s*:\s*"(?:summary|file-history-snapshot|queue-operation|custom-title|ai-title|agent-name|pr-link|mode'
    rb'|permission-mode|last-prompt|progress|attachment|system|user|assistant)"'
)
_SUMMARY = re.compile(rb'^\s*\{"type":"summary","summary":.*"leafUuid":', re.MULTILINE)
_SNAPSHOT = re.compile(rb'^\s*\{"type":"file-history-snapshot","messageId":', re.MULTILINE)


class ClaudeCode(Source):
    """Sessions of Claude Code."""

    location: ClassVar[Location] = LOCATIONS["claude-code"]

    def recognise(self, path: str, head: bytes) -> bool:
        """By the chain of record ids, or by the records that can stand before it."""
        if not path.endswith(self.location.suffixes):
            return False
        chained = _CHAINED.search(head) and _SESSION.search(head) and _TYPED.search(head)
        return bool(chained or _SUMMARY.search(head) or _SNAPSHOT.search(head))

    def parser(self, path: str, facts: Facts | None = None) -> Parser:
        """A parser for one session or subagent file."""
        return Parser(path, facts)

    def message(self, raw: bytes) -> Message | None:
        """The canonical message of one record."""
        return message(raw)
