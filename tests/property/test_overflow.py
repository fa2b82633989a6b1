"""What is said to stay out stays out."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backstory.plan import overflow, planner
from backstory.records.plan import Item, Plan, PlanInput
from tests.property.test_planner import budget, grouped, inputs


def leaves_out(plan: Plan) -> bool:
    return any(one.positions for one in plan.excluded)


@settings(max_examples=200)
@given(inputs(), st.integers(0, 24), st.sampled_from([None, 40, 200]))
def test_where_it_is_certain_the_planner_leaves_something_out(case: PlanInput, newest: int, tail: int | None) -> None:
    case = msgspec.structs.replace(case, tail=tail)
    if overflow.certain(case, min(newest, len(case.items))):
        plan = planner.plan(case)
        assert plan.mode == "native" or leaves_out(plan)


def case_of(*messages: tuple[str, int], tail: int | None = None) -> PlanInput:
    kinds = {"user": "prompt", "summary": "summary"}
    items = tuple(
        Item(size, "user" if what == "summary" else what, f"e{at}", at, kinds.get(what, "message"))
        for at, (what, size) in enumerate(messages)
    )
    return PlanInput(items=items, groups=grouped(items), budget=budget(1_000, 800), fixed=0, tail=tail)


@pytest.mark.parametrize(("size", "newest", "certain"), [(60, 9, True), (60, 3, False), (4, 9, False)])
def test_turns_beyond_the_tail_are_certain_to_stay_out_once_they_are_known(
    size: int, newest: int, *, certain: bool
) -> None:
    case = case_of(*[("user", size), ("assistant", size)] * 4, ("user", size))
    assert overflow.certain(case, newest) is certain
    assert leaves_out(planner.plan(case)) is (size == 60)


@pytest.mark.parametrize(
    "case",
    [
        case_of(("user", 10), ("assistant", 10), ("user", 100), tail=40),
        case_of(("summary", 70), *[("user", 10), ("assistant", 10)] * 2, ("user", 10)),
    ],
    ids=["a request longer than the tail", "a summary beside the tail"],
)
def test_what_does_not_count_for_the_tail_makes_nothing_certain(case: PlanInput) -> None:
    assert not leaves_out(planner.plan(case))
    assert not overflow.certain(case, len(case.items))
