"""What a bounded plan keeps when the ordinary one is impossible: the current turn and the newest whole turns.

It never passes the hard limit as long as the request itself fits; then the turn's newest steps go with the request, or
where not one of them fits the newest whole turns. When not even the request fits, the host's own list is all there is.
What is added beside it is for `planner` to say.
"""

from collections.abc import Sequence

from backstory.plan.mandatory import leading
from backstory.plan.sound import Sound, unsound
from backstory.plan.steps import newest
from backstory.records.plan import Item


def degraded(
    items: Sequence[Item], groups: Sound, current: Sequence[int], request: int | None, room: int, spared: int = 0
) -> list[int] | None:
    """Positions of the bounded plan within `room` tokens, None when the request does not fit.

    Leading system messages stay as long as the request fits beside them. Everything but these and the request, or the
    current turn where all of it fits, leaves `spared` tokens of the room alone.
    """
    lead = leading(items)
    system = sum(items[position].tokens for position in lead)
    need = items[request].tokens if request is not None else 0
    if lead and system + need > room:
        lead, system = [], 0
    room -= system
    members = sorted({position for index in current for position in groups[index].members}.difference(lead))
    used = sum(items[position].tokens for position in members)
    if used > room:
        part = _request_and_newest(items, members, request, room, spared)
        if part is None:
            return None
        if part != [request]:
            return [*lead, *part]
        members, used = part, need
    before = min(current, default=0)
    for index in range(before - 1, -1, -1):
        group = groups[index]
        if group.kind != "turn" or used + group.tokens > room - spared:
            break
        used += group.tokens
        members += group.members
    return sorted({*lead, *members})


def _request_and_newest(
    items: Sequence[Item], members: Sequence[int], request: int | None, room: int, spared: int
) -> list[int] | None:
    if request is None:
        return newest(items, members, room) or None
    if items[request].tokens > room:
        return None
    later = [position for position in members if position > request]
    gone = unsound(items, later)
    later = [position for position in later if position not in gone]
    left = room - items[request].tokens
    return [request, *(newest(items, later, left - spared) or newest(items, later, left))]
