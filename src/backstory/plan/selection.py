"""What is selected for one call while it is decided: native positions with why they are in, and supplements.

Neighbours: `plan.planner` and `plan.bounded` select, `plan.outcome` makes a plan of it.
"""

from collections.abc import Iterable, Sequence

import msgspec

from backstory.plan.tail import Tail
from backstory.records.plan import Item, PlanInput


class Selected(msgspec.Struct):
    """The positions that are in, each with its kind and why it is."""

    why: dict[int, tuple[str, str]] = {}

    def add(self, positions: Iterable[int], kind: str, reason: str) -> None:
        """Let these positions be in; what is in already stays what it is."""
        known, because = self.why.setdefault, (kind, reason)
        for position in positions:
            known(position, because)


class Selection(msgspec.Struct):
    """A plan in the making: native positions, and indices of supplements."""

    selected: Selected
    chosen: list[int]
    refused: dict[int, str]
    tail: Tail


def tokens(items: Sequence[Item], positions: Iterable[int]) -> int:
    """What these positions take."""
    return sum(items[position].tokens for position in positions)


def summaries(given: PlanInput, selected: Selected, left: int) -> None:
    """Adds native summaries, newest first, under their budget and what is left of the call."""
    allowed = given.budget.summaries
    for group in reversed(given.groups):
        if group.kind == "summary" and group.members[0] not in selected.why and group.tokens <= min(allowed, left):
            selected.add(group.members, "summary", "a summary of what came before")
            allowed -= group.tokens
            left -= group.tokens
