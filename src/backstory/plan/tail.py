"""The contiguous recent tail: whole turns, newest first; where one does not fit, its newest steps.

The first turn that does not fit closes the tail. The turn right before the request is kept whole even beyond the tail's
own limit, as long as the call's limits allow it: dropping it loses what "it" and "that" in the request mean.
"""

from collections.abc import Container, Sequence

import msgspec

from backstory.plan.sound import Sound
from backstory.plan.steps import newest
from backstory.records.plan import Item


class Tail(msgspec.Struct):
    """Indices of whole groups, positions of a group's newest steps, and how it came about."""

    groups: list[int]
    partial: list[int]
    split: int | None = None
    rescued: bool = False
    tokens: int = 0


class Space(msgspec.Struct):
    """What the tail may use: `limit` bounds it together with the request, `room` bounds the whole selection.

    `used` tokens of both are spent. Nothing before the position `floor` is taken.
    """

    used: int
    limit: int
    room: int
    rescue: bool = True
    floor: int = 0


def fit(items: Sequence[Item], groups: Sound, skip: Container[int], before: int, space: Space) -> Tail:
    """The tail before the group of index `before`, passing over the groups in `skip`, which are selected already."""
    tail = Tail([], [])
    total, immediate = space.used, True
    narrow = min(space.limit, space.room)
    for index in range(before - 1, -1, -1):
        group = groups[index]
        if group.kind == "summary" or index in skip or not group.members:
            continue
        whole = group.members[0] >= space.floor
        if whole and total + group.tokens <= narrow:
            total += group.tokens
            tail.groups.append(index)
            immediate = False
            continue
        if whole and immediate and space.rescue and group.kind == "turn" and total + group.tokens <= space.room:
            total += group.tokens
            tail.groups.append(index)
            tail.rescued = True
            break
        tail.partial = newest(items, group.members, narrow - total, space.floor)
        if tail.partial:
            tail.split = index
            total += sum(items[position].tokens for position in tail.partial)
        break
    tail.tokens = total - space.used
    return tail
