"""Gemini CLI as a source: how its session files are recognised and read."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar

from backstory.config.paths import open_file
from backstory.records.message import Message
from backstory.records.session import Facts
from backstory.sources.adapters.gemini.documents import is_document, split
from backstory.sources.adapters.gemini.message import message
from backstory.sources.adapters.gemini.parse import Parser
from backstory.sources.base import Source
from backstory.sources.locations import LOCATIONS, Location

LONGEST_PATH = 64 << 10
_START = re.compile(rb"^(?:\xef\xbb\xbf)?\s*\{")
_SESSION = re.compile(rb'"sessionId"\s*:\s*"')
_PROJECT = re.compile(rb'"projectHash"\s*:\s*"')


class Gemini(Source):
    """Sessions of Gemini CLI."""

    location: ClassVar[Location] = LOCATIONS["gemini"]

    def recognise(self, path: str, head: bytes) -> bool:
        """By the session id and project hash that every header holds."""
        if not path.endswith(self.location.suffixes) or not _START.match(head):
            return False
        header = head if self.document(path) else head.lstrip().partition(b"\n")[0]
        return bool(_SESSION.search(header) and _PROJECT.search(header))

    def document(self, path: str) -> bool:
        """Files ending in `.json` are documents, the others lines."""
        return is_document(path)

    def parser(self, path: str, facts: Facts | None = None) -> Parser:
        """A parser for one session file."""
        return Parser(path, facts, None if facts else _project_root(path))

    def split(self, data: bytes) -> Iterator[tuple[int, bytes]]:
        """The header, the messages and the title of a document."""
        return split(data)

    def message(self, raw: bytes) -> Message | None:
        """The canonical message of one record."""
        return message(raw)


def _project_root(path: str) -> str | None:
    """The project folder noted beside `chats`; the session itself holds only a hash of it."""
    file = Path(path)
    for folder in file.parents[1:3]:
        try:
            with open_file(folder / ".project_root") as noted:
                return noted.read(LONGEST_PATH).decode().strip() or None
        except (OSError, ValueError):
            continue
    return None
