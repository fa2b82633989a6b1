"""What is left of a list is whole: every call has its results, every result its call, and nothing more is lost."""

from collections.abc import Sequence
from itertools import product

import pytest

from backstory.plan.sound import unsound
from backstory.records.plan import Item
from backstory.text.calls import EMPTY, ORPHAN, UNANSWERED


def call(*ids: str) -> Item:
    return Item(1, "assistant", calls=ids)


def result(*ids: str) -> Item:
    return Item(1, "tool", answers=ids)


SAID, VOID = Item(1, "user"), Item(0, "user", empty=True)


@pytest.mark.parametrize(
    ("items", "gone"),
    [
        ([call("a"), result("a"), SAID], {}),
        ([call("a", "b"), result("b"), result("a")], {}),
        ([call("a"), SAID], {0: UNANSWERED}),
        ([result("a"), SAID], {0: ORPHAN}),
        ([result("a"), call("a")], {0: ORPHAN, 1: UNANSWERED}),
        ([call("a", "b"), result("a"), SAID], {0: UNANSWERED, 1: ORPHAN}),
        ([call("a"), call("b"), result("a", "b")], {}),
        ([call("a"), call("b", "c"), result("a", "b")], {0: UNANSWERED, 1: UNANSWERED, 2: ORPHAN}),
        ([call("a"), VOID, result("a")], {1: EMPTY}),
        ([call("a"), result("a"), call("a"), result("a")], {}),
        ([call("a"), call("a"), result("a")], {0: UNANSWERED}),
    ],
)
def test_calls_and_results_go_together(items: list[Item], gone: dict[int, str]) -> None:
    assert unsound(items, range(len(items))) == gone


def whole(items: Sequence[Item]) -> bool:
    """Whether each call is answered later, and each result answers the latest call of its id before it."""
    answered = set()
    for at, item in enumerate(items):
        for id_ in item.answers:
            before = [place for place in range(at) if id_ in items[place].calls]
            if not before:
                return False
            answered.add((before[-1], id_))
    return all((at, id_) in answered for at, item in enumerate(items) for id_ in item.calls)


def test_what_is_left_of_any_list_is_whole() -> None:
    kinds = (call("a"), call("b"), call("a", "b"), result("a"), result("b"), result("a", "b"))
    for items in product(kinds, repeat=5):
        gone = unsound(items, range(len(items)))
        assert whole([item for at, item in enumerate(items) if at not in gone])
        assert not (gone and whole(items))
