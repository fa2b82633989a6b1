"""What a bounded plan keeps when the ordinary one is impossible: the current turn and the newest whole turns.

It never passes the hard limit as long as the request itself fits; then the turn's newest steps go with the request, or
where not one of them fits the newest whole turns. When not even the request fits, the host's own list is all there is.
What is held or added beside it is for `plan.bounded` to say.
"""

from collections.abc import Collection, Sequence

from backstory.plan.sound import Sound, unsound
from backstory.plan.steps import newest, steps
from backstory.records.base import Record
from backstory.records.plan import Item


class Room(Record, frozen=True):
    """What a bounded plan may take.

    Everything but the request, or the current turn where all of it fits, leaves `spared` of these tokens alone.
    """

    tokens: int
    spared: int = 0


def degraded(
    items: Sequence[Item],
    groups: Sound,
    current: Sequence[int],
    request: int | None,
    room: Room,
    held: Collection[int] = (),
) -> list[int] | None:
    """Positions of the bounded plan, None when the request does not fit; what is `held` is in it and not counted."""
    members = sorted({position for index in current for position in groups[index].members}.difference(held))
    used = _tokens(items, members)
    if used > room.tokens:
        part = _request_and_newest(items, members, request, room)
        if part is None:
            return None
        if part != [request]:
            return sorted({*held, *part})
        members, used = part, _tokens(items, part)
    for index in range(min(current, default=0) - 1, -1, -1):
        group = groups[index]
        turn = [position for position in group.members if position not in held]
        cost = _tokens(items, turn)
        if group.kind != "turn" or used + cost > room.tokens - room.spared:
            break
        used += cost
        members += turn
    return sorted({*held, *members})


def labelled(
    items: Sequence[Item], groups: Sound, marked: Sequence[int], pinned: Collection[int], request: int | None
) -> list[tuple[int, ...]]:
    """The steps with a message that a person labelled, the newest first; `marked` are the groups that hold any.

    The request is no part of them.
    """
    found = [step for index in marked for step in steps(items, groups[index].members)]
    return [step for step in reversed(found) if not frozenset(pinned).isdisjoint(step) and request not in step]


def _request_and_newest(
    items: Sequence[Item], members: Sequence[int], request: int | None, room: Room
) -> list[int] | None:
    if request is None:
        return newest(items, members, room.tokens) or None
    if items[request].tokens > room.tokens:
        return None
    later = [position for position in members if position > request]
    gone = unsound(items, later)
    later = [position for position in later if position not in gone]
    left = room.tokens - items[request].tokens
    return [request, *(newest(items, later, left - room.spared) or newest(items, later, left))]


def _tokens(items: Sequence[Item], positions: Sequence[int]) -> int:
    return sum([items[position].tokens for position in positions])
