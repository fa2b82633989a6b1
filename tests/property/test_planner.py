"""What holds for every history, budget and set of supplements."""

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from backstory.dialogue.groups import groups
from backstory.plan import mandatory, planner, sound
from backstory.plan.placement import PLACEMENTS
from backstory.plan.steps import bind
from backstory.records.budget import Budget
from backstory.records.node import Node
from backstory.records.plan import Group, Item, PlanInput, Supplement
from backstory.text import canonical

KINDS = ["pin", "memory", "card", "excerpt", "retrieval", "project"]


@st.composite
def histories(draw: st.DrawFn) -> tuple[Item, ...]:
    """Messages with reused call ids, unanswered calls, orphan results, summaries, system messages and empty ones."""
    items: list[Item] = []
    for number in range(draw(st.integers(0, 24))):
        kind = draw(st.sampled_from(["user", "assistant", "call", "result", "summary", "system"]))
        tokens = draw(st.integers(1, 60))
        ids = tuple(draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=2, unique=True)))
        calls = ids if kind == "call" else ()
        answers = ids if kind == "result" else ()
        role = {"call": "assistant", "result": "tool", "summary": "user"}.get(kind, kind)
        name = {"user": "prompt", "summary": "summary"}.get(kind, "message")
        empty = kind in {"assistant", "call", "result"} and draw(st.integers(0, 9)) == 0
        items.append(Item(0 if empty else tokens, role, f"e{number}", number, name, calls, answers, empty=empty))
    return tuple(items)


def grouped(items: tuple[Item, ...]) -> tuple[Group, ...]:
    nodes = [
        Node(at, "tool-result" if item.answers else item.kind, visible=True, call_ids=item.calls or item.answers)
        for at, item in enumerate(items)
    ]
    found = groups(nodes)
    return tuple(
        Group(group.kind, group.members, sum(items[at].tokens for at in group.members), group.id) for group in found
    )


supplements = st.lists(
    st.builds(
        Supplement,
        id=st.sampled_from(["s1", "s2", "s3"]),
        kind=st.sampled_from(KINDS),
        text=st.just("quoted"),
        tokens=st.integers(1, 50),
        sources=st.sampled_from([(), ("e1",)]),
        score=st.integers(0, 3).map(float),
    ),
    max_size=6,
).map(tuple)


def budget(hard: int, active: int) -> Budget:
    return Budget(
        window=hard * 2, reserve=0, margin=0, hard=hard, soft=hard, target=active, active=min(hard, active),
        tail=max(90, active // 2), history=60, project=60, pins=60, memory=40, summaries=80, card=30, excerpts=30,
    )  # fmt: skip


small = st.tuples(st.integers(0, 500), st.integers(0, 400))
large = st.tuples(st.integers(500, 4000), st.integers(200, 3000))


@st.composite
def inputs(draw: st.DrawFn) -> PlanInput:
    items = draw(histories())
    # Small ones break rules, larger ones have a tail that was cut.
    sizes = budget(*draw(st.one_of(small, large, large)))
    return PlanInput(
        items=items,
        groups=grouped(items),
        budget=sizes,
        supplements=draw(supplements),
        pinned=tuple(draw(st.sets(st.integers(0, 12), max_size=2))),
        fixed=draw(st.integers(0, 80)),
        placement=draw(st.sampled_from(PLACEMENTS)),
        rescue=draw(st.booleans()),
        keep_from=draw(st.sampled_from([None, "e2", "e9", "gone"])),
        anchor=draw(st.sampled_from([None, 0, 4, 11, 99])),
    )


def request_of(case: PlanInput) -> int | None:
    return mandatory.request_at(case.items)


def gone_of(case: PlanInput) -> set[int]:
    return set(sound.unsound(case.items, range(len(case.items))))


@given(inputs())
def test_the_current_request_is_always_there(case: PlanInput) -> None:
    request = request_of(case)
    assert request is None or request in planner.plan(case).positions


@given(inputs())
def test_calls_and_results_travel_together(case: PlanInput) -> None:
    plan = planner.plan(case)
    if plan.mode == "native":
        return
    positions = sorted(plan.positions)
    bound = bind(case.items, range(len(case.items)))
    for position in positions:
        item = case.items[position]
        if item.answers:
            assert len(bound[position]) == len(item.answers)
            assert set(bound[position]).issubset(positions)
        results = [result for result, calls in bound.items() if position in calls and result in positions]
        answered = {call for result in results for call in case.items[result].answers}
        assert answered.issuperset(item.calls)


@given(inputs())
def test_an_empty_message_is_never_sent(case: PlanInput) -> None:
    plan = planner.plan(case)
    assert plan.mode == "native" or not any(case.items[position].empty for position in plan.positions)


@given(inputs())
def test_a_plan_is_never_over_its_hard_limit(case: PlanInput) -> None:
    plan = planner.plan(case)
    assert plan.tokens == sum(item.tokens for item in plan.included)
    if plan.mode == "native":
        request = request_of(case)
        assert request is None or case.items[request].tokens + case.fixed > case.budget.hard
    else:
        assert plan.tokens + plan.fixed <= case.budget.hard


@given(inputs())
def test_native_messages_keep_their_order_and_appear_once(case: PlanInput) -> None:
    positions = planner.plan(case).positions
    assert list(positions) == sorted(set(positions))


@given(inputs())
def test_the_same_input_gives_the_same_bytes(case: PlanInput) -> None:
    copy = msgspec.json.decode(msgspec.json.encode(case), type=PlanInput)
    assert canonical.encode(planner.plan(case)) == canonical.encode(planner.plan(copy))


@given(inputs(), st.integers(1, 400))
def test_more_budget_never_removes_what_must_be_there(case: PlanInput, more: int) -> None:
    wider = budget(case.budget.hard + more, case.budget.active + more)
    before, after = planner.plan(case), planner.plan(msgspec.structs.replace(case, budget=wider))
    if before.mode == "native":
        return
    assert after.mode in {"managed", before.mode}
    kinds = {"system", "labelled", "pin"}
    must = {(item.position, item.supplement) for item in before.included if item.kind in kinds}
    if before.mode == "managed":
        must |= {(item.position, None) for item in before.included if item.kind == "current"}
    assert must <= {(item.position, item.supplement) for item in after.included}


@given(inputs())
def test_everything_is_either_in_or_out(case: PlanInput) -> None:
    plan = planner.plan(case)
    out = [position for item in plan.excluded for position in item.positions]
    assert sorted([*out, *plan.positions]) == list(range(len(case.items)))
    refused = [item.supplement for item in plan.excluded if item.supplement is not None]
    added = [item.supplement for item in plan.included if item.supplement is not None]
    assert sorted([*refused, *added]) == list(range(len(case.supplements)))


@given(inputs())
def test_the_tail_has_no_gaps(case: PlanInput) -> None:
    """Between the oldest group of the tail and the request, only summaries and what cannot be sent is missing."""
    plan = planner.plan(case)
    recent = {item.position for item in plan.included if item.kind == "recent"}
    touched = [index for index, group in enumerate(case.groups) if recent.intersection(group.members)]
    if plan.mode != "managed" or not touched:
        return
    gone = gone_of(case)
    request = request_of(case)
    last = next(index for index, group in enumerate(case.groups) if request is None or group.members[-1] >= request)
    for group in case.groups[min(touched) + 1 : last]:
        if group.kind != "summary":
            assert all(at in plan.positions or at in gone for at in group.members)


@given(inputs())
def test_no_supplement_is_sent_without_a_source_or_a_request(case: PlanInput) -> None:
    plan = planner.plan(case)
    added = [case.supplements[item.supplement] for item in plan.included if item.supplement is not None]
    assert all(item.sources for item in added)
    assert not added or request_of(case) is not None


@given(inputs())
def test_what_the_planner_selects_never_divides_an_exchange(asked: PlanInput) -> None:
    assert "lost its" not in (planner.plan(asked).reason or "")


@given(inputs())
def test_a_pin_that_stays_out_was_too_much_or_has_no_source(case: PlanInput) -> None:
    plan = planner.plan(case)
    if plan.mode == "native" or request_of(case) is None:
        return
    sourceless = {index for index, one in enumerate(case.supplements) if not one.sources}
    for item in plan.excluded:
        if item.kind == "pin":
            assert (item.reason == "it names no source") == (item.supplement in sourceless)
