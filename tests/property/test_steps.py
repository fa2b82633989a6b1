"""Taking the newest steps from the end of a group gives the same as taking all of its steps apart."""

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from backstory.plan import steps
from backstory.plan.sound import unsound
from backstory.records.plan import Item


@st.composite
def groups(draw: st.DrawFn) -> list[Item]:
    items: list[Item] = []
    for _ in range(draw(st.integers(0, 14))):
        kind = draw(st.sampled_from("tcr"))
        ids = tuple(draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=2, unique=True)))
        calls, answers = ids if kind == "c" else (), ids if kind == "r" else ()
        items.append(Item(draw(st.integers(0, 30)), "x", calls=calls, answers=answers))
    return items


def taken_apart(items: Sequence[Item], positions: Sequence[int], room: int, floor: int) -> list[int]:
    chosen: list[int] = []
    for step in reversed(steps.steps(items, positions)):
        cost = sum(items[position].tokens for position in step)
        if cost > room or step[0] < floor:
            break
        room -= cost
        chosen[:0] = step
    return chosen


@given(groups(), st.integers(0, 200), st.integers(0, 6))
def test_the_newest_steps_are_those_of_the_whole_group(items: list[Item], room: int, floor: int) -> None:
    gone = unsound(items, range(len(items)))
    positions = [at for at in range(len(items)) if at not in gone]
    assert steps.newest(items, positions, room, floor) == taken_apart(items, positions, room, floor)
