"""What checking made of the messages of a session on their way to one destination, so that no call checks them twice.

What is remembered of a message holds for that very object: two messages of one record, of which one was reduced, are
two. Contents that were sent are known by all that is in them, as others may hold the lists and change them.
`engine.planning.gate` checks and asks; `engine.transcript.session` keeps this as long as itself.
"""

from collections.abc import Collection, Hashable
from typing import Any

import msgspec

from backstory.records.message import Message
from backstory.records.privacy import Destination, Passage, Policy

_MOST_QUOTABLE = 2_000_000  # characters
_encode = msgspec.json.Encoder().encode


class Checked:
    """What was checked under one policy for one destination.

    `passed` are contents that were sent last and of which nothing had to be withheld, each as `frozen` gives it.
    """

    def __init__(self, policy: Policy, target: Destination) -> None:
        self.policy = policy
        self.target = target
        self.passed: set[Hashable] = set()
        self._messages: dict[int, tuple[Message, Message, Passage]] = {}
        self._quotable: dict[str, bool] = {}
        self._room = _MOST_QUOTABLE

    def message(self, entry: int, message: Message) -> tuple[Message, Passage] | None:
        """What was made of the message of an entry, None when it was not checked yet."""
        known = self._messages.get(entry)
        return known[1:] if known is not None and known[0] is message else None

    def note(self, entry: int, message: Message, shown: Message, passage: Passage) -> None:
        """Remember what was made of the message of an entry, instead of another one of that entry."""
        self._messages[entry] = message, shown, passage

    def quotable(self, text: str) -> bool | None:
        """Whether a text may be quoted, None when that was not asked yet."""
        return self._quotable.get(text)

    def note_quotable(self, text: str, *, quotable: bool) -> None:
        """Remember whether a text may be quoted; when they are too many, the others are forgotten."""
        self._room -= len(text)
        if self._room < 0:
            self._quotable.clear()
            self._room = _MOST_QUOTABLE - len(text)
        self._quotable[text] = quotable

    def forget(self, needed: Collection[int]) -> None:
        """Let go of the messages of all entries but these."""
        self._messages = {at: known for at, known in self._messages.items() if at in needed}


def frozen(content: list[dict[str, Any]]) -> Hashable:
    """All that is in a content, its strings as they are and the rest as JSON: equal only where all strings are.

    Raises:
        TypeError, ValueError, RecursionError: it is no JSON.
    """
    parts: list[Hashable] = []
    for block in content:
        parts += (len(block), *block)
        parts += [value if value.__class__ is str else _encode(value) for value in block.values()]
    return tuple(parts)
