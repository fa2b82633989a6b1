"""What checking made of the messages of a session on their way to one destination, so that no call checks them twice.

What is remembered of a message holds for that very object: two messages of one record, of which one was reduced, are
two. Contents that were sent are compared with what they were, as others may hold the lists and change them.
`engine.planning.gate` checks and asks; `engine.transcript.session` keeps this as long as itself.
"""

from collections.abc import Collection
from typing import Any

import msgspec

from backstory.records.message import Message
from backstory.records.privacy import Destination, Passage, Policy

_MOST_QUOTABLE = 2_000_000  # characters
Blocks = list[dict[str, Any]]
Passed = tuple[Blocks, Blocks]
"""A content as it was sent, and a copy of all that was in it."""


class Checked:
    """What was checked under one policy for one destination.

    `passed` are contents that were sent last and of which nothing had to be withheld, by the identity of the list.
    """

    def __init__(self, policy: Policy, target: Destination) -> None:
        self.policy = policy
        self.target = target
        self.passed: dict[int, Passed] = {}
        self._messages: dict[int, tuple[Message, tuple[Message, Passage]]] = {}
        self._quotable: dict[str, bool] = {}
        self._room = _MOST_QUOTABLE

    def passing(self, content: Blocks) -> Passed | None:
        """What `passed` holds of a content, None where it was not sent last or is not what it was then."""
        known = self.passed.get(id(content))
        return known if known is not None and known[0] is content and known[1] == content else None

    def message(self, entry: int, message: Message) -> tuple[Message, Passage] | None:
        """What was made of the message of an entry, None when it was not checked yet."""
        known = self._messages.get(entry)
        return known[1] if known is not None and known[0] is message else None

    def note(self, entry: int, message: Message, shown: Message, passage: Passage) -> None:
        """Remember what was made of the message of an entry, instead of another one of that entry."""
        self._messages[entry] = message, (shown, passage)

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


def copied(content: Blocks) -> Passed:
    """A content with a copy.

    Raises:
        TypeError, RecursionError: it is no JSON.
    """
    return content, msgspec.to_builtins(content)
