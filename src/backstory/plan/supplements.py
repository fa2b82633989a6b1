"""Which supplements are added: by category in order of priority, each under its own budget and what the call has left.

A supplement that does not fit is skipped and the next one tried; none is ever cut here.
"""

from collections.abc import Sequence

from backstory.records.budget import Budget
from backstory.records.plan import Supplement
from backstory.text.calls import kind_words

_RESERVED = frozenset(("memory", "card", "excerpt", "project"))
CATEGORIES = ("memory", "card", "excerpt", "retrieval", "project")


def limits(budget: Budget) -> dict[str, int]:
    """The token budget of each category."""
    return {
        "memory": budget.memory,
        "card": budget.card,
        "excerpt": budget.excerpts + budget.card,
        "retrieval": budget.history,
        "project": budget.project,
    }


def reserved(supplements: Sequence[Supplement], budget: Budget) -> int:
    """Tokens that the tail leaves to everything but quotations of earlier messages: what they take of their budgets."""
    kept = [item for item in supplements if item.kind in _RESERVED]
    chosen, _ = choose(kept, budget, budget.active)
    return sum(kept[index].tokens for index in chosen)


def choose(supplements: Sequence[Supplement], budget: Budget, room: int) -> tuple[list[int], dict[int, str]]:
    """Indices that are added within `room` tokens, and for each that is not, why.

    Card and excerpts share their two budgets: what the card leaves, excerpts may use. Earlier messages come before
    project source, but leave it up to half of the room, as the tail made that room for it (see `reserved`).
    """
    chosen: list[int] = []
    refused: dict[int, str] = {}
    allowed = limits(budget)
    for category in CATEGORIES:
        left = allowed[category]
        held = min(_wanted(supplements, "project", allowed["project"]), room // 2) if category == "retrieval" else 0
        for index in _ranked(supplements, category):
            item = supplements[index]
            if not item.sources:
                refused[index] = "it names no source"
            elif item.tokens > left:
                refused[index] = f"the room for {kind_words(category).many} is used up"
            elif item.tokens > room - held:
                refused[index] = "no room was left in the call"
            else:
                chosen.append(index)
                left -= item.tokens
                room -= item.tokens
        if category == "card":
            allowed["excerpt"] -= allowed["card"] - left
    return chosen, refused


def _wanted(supplements: Sequence[Supplement], category: str, budget: int) -> int:
    """Tokens that a category would take of its budget if there were room for everything."""
    taken = 0
    for index in _ranked(supplements, category):
        if supplements[index].sources and taken + supplements[index].tokens <= budget:
            taken += supplements[index].tokens
    return taken


def _ranked(supplements: Sequence[Supplement], category: str) -> list[int]:
    """Indices of a category by score, then later first, then id."""
    found = [index for index, item in enumerate(supplements) if item.kind == category]
    return sorted(found, key=lambda index: (-supplements[index].score, -index, supplements[index].id))
