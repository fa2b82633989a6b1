"""Messages that a call sees and no log holds: a host shows them beside the entries of a session.

Each has a number below zero, which is the same for the same message, so that whatever goes by numbers takes entries and
guests alike.
"""

from collections.abc import Container

from backstory.records.located import Located
from backstory.records.message import Message, ToolCall, ToolResult
from backstory.records.session import Kind
from backstory.text import hashing


class Guests:
    """The guests of one transcript, each with an entry that stands for it."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Located, Message]] = {}

    def number(self, message: Message, kind: str) -> int:
        """The number of a message; `kind` is that of an entry, where its blocks do not tell it."""
        digest = bytes.fromhex(hashing.of_value((kind, message)))
        number = -1 - int.from_bytes(digest[:6], "big")
        if number not in self._known:
            calls = tuple(block.id for block in message.blocks if isinstance(block, ToolCall))
            answers = tuple(block.id for block in message.blocks if isinstance(block, ToolResult))
            what = Kind.TOOL_RESULT if answers else Kind.TOOL_CALL if calls else kind
            entry = Located(-1, what, visible=True, call_ids=calls or answers, role=message.role, hash=digest)
            self._known[number] = entry, message
        return number

    def entry(self, number: int) -> Located:
        """What stands for a guest among entries."""
        return self._known[number][0]

    def message(self, number: int) -> Message:
        """What a guest says."""
        return self._known[number][1]

    def keep(self, numbers: Container[int]) -> None:
        """Let go of all guests but these."""
        self._known = {number: guest for number, guest in self._known.items() if number in numbers}
