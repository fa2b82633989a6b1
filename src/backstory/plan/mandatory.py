"""What every plan holds: leading system messages, the request with all that followed it, and what a person pinned."""

from collections.abc import Sequence

from backstory.records.plan import Group, Item, Supplement


def request_at(items: Sequence[Item]) -> int | None:
    """Position of the newest message a person wrote, else of the newest in the user's role; None without one."""
    fallback = None
    for position in range(len(items) - 1, -1, -1):
        item = items[position]
        if item.role == "user" and not item.answers and not item.calls:
            if item.kind == "prompt":
                return position
            fallback = position if fallback is None else fallback
    return fallback


def current(groups: Sequence[Group], request: int | None) -> list[int]:
    """Indices of the groups that hold the request or anything after it; the last group when there is no request."""
    if request is None:
        return [len(groups) - 1] if groups else []
    return [index for index, group in enumerate(groups) if group.members[-1] >= request]


def labelled(groups: Sequence[Group], pinned: Sequence[int]) -> list[int]:
    """Indices of the groups with a message that a person labelled as pinned."""
    wanted = frozenset(pinned)
    return [index for index, group in enumerate(groups) if not wanted.isdisjoint(group.members)] if wanted else []


def leading(items: Sequence[Item]) -> list[int]:
    """Positions of the system messages before any other message."""
    found = []
    for position, item in enumerate(items):
        if item.role != "system":
            break
        found.append(position)
    return found


def pins(supplements: Sequence[Supplement]) -> list[int]:
    """Indices of the pins, in the order they were made."""
    return [index for index, supplement in enumerate(supplements) if supplement.kind == "pin" and supplement.sources]
