"""Codex CLI as a source: where its sessions lie, how they are recognised, read and resumed."""

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import ClassVar

from backstory.records.message import Message
from backstory.records.session import Facts
from backstory.sources.adapters.codex.message import message
from backstory.sources.adapters.codex.parse import Parser

_LINE = re.compile(
    rb'^\s*\{(?:"timestamp"\s*:\s*"[^"]*"\s*,\s*)?(?:"ordinal"\s*:\s*\d+\s*,\s*)?"type"\s*:\s*'
    rb'"(?:session_meta|response_item|event_msg|turn_context|compacted|world_state)"\s*,\s*"payload"\s*:',
    re.MULTILINE,
)
_OLD_HEADER = re.compile(rb'^\s*\{"id"\s*:\s*"[^"]*"\s*,\s*"timestamp"\s*:\s*"[^"]*"\s*,\s*"(?:instructions|git)"\s*:')
_OLD_STATE = re.compile(rb'^\s*\{"record_type"\s*:\s*"state"', re.MULTILINE)


class Codex:
    """Sessions of Codex CLI."""

    name: ClassVar[str] = "codex"
    title: ClassVar[str] = "Codex CLI"
    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".jsonl.zst")

    def places(self, home: str, env: Mapping[str, str]) -> Iterable[str]:
        """The live and the archived sessions, below `CODEX_HOME` when that is set."""
        base = env.get("CODEX_HOME") or f"{home}/.codex"
        return (f"{base}/sessions", f"{base}/archived_sessions")

    def recognise(self, path: str, head: bytes) -> bool:
        """By a wrapped item of the new form, or by the header or state line of the old one."""
        if not path.endswith(self.suffixes):
            return False
        return bool(_LINE.search(head) or _OLD_HEADER.match(head) or _OLD_STATE.search(head))

    def document(self, path: str) -> bool:
        """Never: files are lines."""
        return False

    def parser(self, path: str, facts: Facts | None = None) -> Parser:
        """A parser for one rollout file."""
        return Parser(path, facts)

    def split(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """Nothing, as no file is a document."""
        return iter(())

    def message(self, raw: bytes) -> Message | None:
        """The canonical message of one record."""
        return message(raw)

    def resume(self, session_id: str, cwd: str | None, path: str) -> str | None:
        """Codex finds a session by its id from anywhere; the folder only sets where it goes on."""
        command = f"codex resume {shlex.quote(session_id)}"
        return f"cd {shlex.quote(cwd)} && {command}" if cwd else command
