"""Plans of a current turn that is larger than the call: the request, its newest steps, and what stands for the rest."""

from backstory.plan import outcome, planner
from backstory.records.budget import Budget
from backstory.records.plan import Group, Item, Plan, PlanInput, Supplement

STEPS = 10


def budget(hard: int) -> Budget:
    return Budget(
        window=hard, reserve=0, margin=0, hard=hard, soft=hard, target=hard, active=hard, tail=hard,
        history=0, project=0, pins=60, memory=0, summaries=0, card=100, excerpts=100,
    )  # fmt: skip


def made(hard: int, *supplements: Supplement, pinned: tuple[int, ...] = ()) -> Plan:
    """A request of 20 tokens, then ten steps of 100 tokens each in the same turn."""
    items = [Item(20, "user", "u", 0, "prompt")]
    for step in range(STEPS):
        at = len(items)
        items.append(Item(40, "assistant", f"a{step}", at, "tool-call", (f"c{step}",)))
        items.append(Item(60, "tool", f"r{step}", at + 1, "tool-result", (), (f"c{step}",)))
    members = tuple(range(len(items)))
    group = Group("turn", members, sum(item.tokens for item in items), f"group:0-{members[-1]}")
    return planner.plan(PlanInput(tuple(items), (group,), budget(hard), supplements, pinned=pinned))


CARD = Supplement("card", "card", "names", 90, ("a0",))
EXCERPTS = Supplement("excerpts", "excerpt", "passages", 95, ("a1",))
ANSWERS = [("assistant", "message")] * 3
PIN = Supplement("p", "pin", "never", 50, ("l",))


def test_the_steps_leave_room_for_card_and_excerpts() -> None:
    plan = made(700, CARD, EXCERPTS)
    assert plan.mode == "degraded"
    assert plan.split
    assert [item.kind for item in plan.included[:3]] == ["card", "excerpt", "current"]
    assert plan.positions == (0, *range(13, 21))
    assert plan.tokens == 20 + 4 * 100 + 90 + 95
    [left_out] = [item for item in plan.excluded if item.positions]
    assert left_out.positions == tuple(range(1, 13))
    assert left_out.reason == outcome.OLDER


def test_pins_come_before_the_steps() -> None:
    plan = made(300, PIN, CARD)
    assert [item.kind for item in plan.included[:3]] == ["pin", "card", "current"]
    assert plan.positions == (0, 19, 20)
    assert made(180, PIN, CARD).positions == (0, 19, 20)
    assert [item.kind for item in made(100, PIN, CARD).included] == ["pin", "current"]


def test_the_newest_step_is_worth_more_than_a_card() -> None:
    plan = made(125, CARD)
    assert plan.positions == (0, 19, 20)
    assert [item.reason for item in plan.excluded if item.supplement == 0] == ["no room was left in the call"]


def test_a_request_that_does_not_fit_leaves_the_host_its_own_list() -> None:
    plan = made(10, CARD, PIN)
    assert (plan.mode, plan.positions) == ("native", tuple(range(1 + 2 * STEPS)))
    assert [(item.kind, item.supplement) for item in plan.excluded] == [("card", 0), ("pin", 1)]


def test_a_label_on_what_leads_the_conversation_takes_no_room_of_its_own() -> None:
    items = tuple(Item(tokens, "system", f"s{at}", at) for at, tokens in enumerate((60, 50)))
    items += (Item(100, "assistant", "a", 2), Item(30, "user", "u", 3, "prompt"), Item(90, "assistant", "b", 4))
    groups = (Group("prefix", (0, 1, 2), 210, "group:0-2"), Group("turn", (3, 4), 120, "group:3-4"))
    for hard in range(140, 260):
        plan = planner.plan(PlanInput(items, groups, budget(hard), pinned=(0,)))
        assert plan.mode == "degraded"
        assert plan.positions == ((0, 1, 3) if hard < 230 else (0, 1, 3, 4)), hard


def test_a_context_without_anything_that_can_be_sent_stays_as_it_is() -> None:
    orphan = Item(50, "tool", "r", 0, "tool-result", (), ("gone",))
    plan = planner.plan(PlanInput((orphan,), (Group("prefix", (0,), 50, "group:0-0"),), budget(500)))
    assert (plan.mode, plan.positions) == ("native", (0,))


def test_what_a_person_labelled_stays_with_its_exchange() -> None:
    plan = made(400, PIN, CARD, pinned=(4, 7))
    labelled = [item.position for item in plan.included if item.kind == "labelled"]
    assert plan.mode == "degraded"
    assert labelled == [3, 4, 7, 8]
    assert [item.position for item in made(200, PIN, pinned=(4, 7)).included if item.kind == "labelled"] == [7, 8]
    assert plan.tokens <= 400


def test_an_older_turn_gives_what_a_person_labelled_of_it() -> None:
    items = (
        *(Item(100, role, f"old{at}", at, kind) for at, (role, kind) in enumerate([("user", "prompt"), *ANSWERS])),
        Item(20, "user", "u", 4, "prompt"),
        Item(500, "assistant", "a", 5, "message"),
    )
    groups = (Group("turn", (0, 1, 2, 3), 400, "group:0-3"), Group("turn", (4, 5), 520, "group:4-5"))
    plan = planner.plan(PlanInput(items, groups, budget(300), pinned=(2,)))
    assert [(item.kind, item.position) for item in plan.included] == [("labelled", 2), ("current", 4)]


def test_pins_may_take_all_the_room_there_is_and_no_more() -> None:
    assert [item.kind for item in made(70, PIN).included] == ["pin", "current"]
    assert [item.kind for item in made(69, PIN).included] == ["current"]
    largest = Supplement("q", "pin", "always", 60, ("l",))
    assert [item.kind for item in made(100, largest).included] == ["pin", "current"]


def test_pins_that_are_too_much_are_said_to_be() -> None:
    large = Supplement("q", "pin", "always", 70, ("l",))
    for hard, reason in [(2_000, "the pins pass their budget"), (60, "no room was left in the call")]:
        plan = made(hard, *([large] if hard > 100 else [PIN]))
        assert [item.reason for item in plan.excluded if item.kind == "pin"] == [reason]


def test_more_room_never_loses_what_a_smaller_call_holds() -> None:
    items = (Item(30, "system", "s", 0, "message"), Item(20, "user", "u", 1, "prompt"), Item(900, "assistant", "a", 2))
    groups = (Group("prefix", (0,), 30, "group:0-0"), Group("turn", (1, 2), 920, "group:1-2"))
    held: set[tuple[int | None, int | None]] = set()
    for hard in range(20, 200):
        plan = planner.plan(PlanInput(items, groups, budget(hard), (PIN,)))
        now = {(item.position, item.supplement) for item in plan.included}
        assert held <= now
        held = now
    assert held == {(0, None), (None, 0), (1, None)}
