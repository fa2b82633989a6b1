"""Pi as a source: where its sessions lie, how they are recognised, read and resumed."""

import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

import msgspec

from backstory.records.message import Message
from backstory.records.session import Facts
from backstory.sources.adapters.pi.message import message
from backstory.sources.adapters.pi.parse import Parser
from backstory.sources.adapters.pi.records import peeker

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

    name: ClassVar[str] = "pi"
    title: ClassVar[str] = "Pi"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl",)

    def places(self, home: str, env: Mapping[str, str]) -> Iterable[str]:
        """`PI_CODING_AGENT_SESSION_DIR`, else the sessions folder of `PI_CODING_AGENT_DIR`, else of ~/.pi/agent."""
        if own := env.get("PI_CODING_AGENT_SESSION_DIR"):
            return (_expanded(own, home),)
        agent = env.get("PI_CODING_AGENT_DIR") or f"{home}/.pi/agent"
        return (f"{_expanded(agent, home)}/sessions",)

    def recognise(self, path: str, head: bytes) -> bool:
        """By the header, which DSH's differs from by its clock; where it is damaged, by the entry that comes first."""
        if not path.endswith(self.suffixes):
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

    def resume(self, session_id: str, cwd: str | None, path: str) -> str | None:
        """Pi opens a session file by its path."""
        command = f"pi --session {shlex.quote(path)}"
        return f"cd {shlex.quote(cwd)} && {command}" if cwd else command


def _expanded(path: str, home: str) -> str:
    return home + path[1:] if path == "~" or path.startswith("~/") else path
