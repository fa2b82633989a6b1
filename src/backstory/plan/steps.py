"""Steps: the smallest parts of a turn that can be sent, so that a turn too large for its place still gives its newest.

A step is one message together with all messages that it shares a tool exchange with. Calls are bound to results per
occurrence: a result belongs to the latest call of its id before it, and a result without one stands alone.
"""

from collections.abc import Mapping, Sequence

from backstory.records.plan import Item


def bind(items: Sequence[Item], positions: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """For each result among the positions, the positions of the calls it answers; calls not among them are left out."""
    latest: dict[str, int] = {}
    bound: dict[int, tuple[int, ...]] = {}
    for position in positions:
        item = items[position]
        if item.answers:
            bound[position] = tuple([latest[call] for call in item.answers if call in latest])
        for call in item.calls:
            latest[call] = position
    return bound


def steps(items: Sequence[Item], positions: Sequence[int]) -> list[tuple[int, ...]]:
    """The positions of a group in steps, each contiguous, in order.

    Where exchanges interleave, everything between a call and its last result is one step.
    """
    return _cut(positions, bind(items, positions))


def _cut(positions: Sequence[int], bound: Mapping[int, Sequence[int]]) -> list[tuple[int, ...]]:
    """Positions in steps, by the calls that each result is bound to."""
    end: dict[int, int] = {}
    for result, calls in bound.items():
        for call in calls:
            end[call] = max(end.get(call, call), result)
    found: list[tuple[int, ...]] = []
    step: list[int] = []
    until = -1
    for position in positions:
        if step and position > until:
            found.append(tuple(step))
            step = []
        step.append(position)
        until = max(until, end.get(position, position))
    return [*found, tuple(step)] if step else found


def newest(items: Sequence[Item], positions: Sequence[int], room: int, floor: int = 0) -> list[int]:
    """The newest steps of a group that fit into `room` tokens together and begin no earlier than at `floor`."""
    chosen: list[int] = []
    for step in reversed(_cut(*_newest(items, positions, room))):
        cost = sum(items[position].tokens for position in step)
        if cost > room or step[0] < floor:
            break
        room -= cost
        chosen[:0] = step
    return chosen


def _newest(
    items: Sequence[Item], positions: Sequence[int], room: int
) -> tuple[Sequence[int], dict[int, tuple[int, ...]]]:
    """The end of a group that holds all steps that may fit, and begins with a whole step; with its bound results."""
    first = len(positions)
    while first and room >= 0:
        first -= 1
        room -= items[positions[first]].tokens
    end = positions[first:]
    bound = bind(items, end)
    while first and (torn := [at for at, calls in bound.items() if len(calls) < len(items[at].answers)]):
        end = [at for at in end if at > torn[-1]]
        bound = bind(items, end)
    return end, bound
