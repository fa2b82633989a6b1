"""The recent tail, turn by turn, and the native summaries that come after everything else."""

from backstory.plan import planner, tail
from backstory.plan.sound import Sound
from backstory.plan.supplements import choose
from backstory.plan.tail import Space
from backstory.records.budget import Budget
from backstory.records.plan import Group, Item, PlanInput, Supplement


def turns(*sizes: int) -> tuple[list[Item], list[Group]]:
    """Turns of one prompt and one answer, by the sizes of the answers."""
    items: list[Item] = []
    groups: list[Group] = []
    for size in sizes:
        at = len(items)
        items += [Item(10, "user", f"u{at}", at, "prompt"), Item(size, "assistant", f"a{at}", at + 1)]
        groups.append(Group("turn", (at, at + 1), 10 + size, f"group:{at}-{at + 1}"))
    return items, groups


def fitted(
    sizes: tuple[int, ...], *, used: int = 0, limit: int = 100, room: int = 1_000, rescue: bool = True
) -> tail.Tail:
    items, groups = turns(*sizes)
    return tail.fit(items, Sound(items, groups), (), len(groups), Space(used, limit, room, rescue))


def test_whole_turns_are_taken_newest_first_until_one_does_not_fit() -> None:
    found = fitted((10, 25, 30, 20))
    assert (found.groups, found.partial, found.rescued) == ([3, 2], [3], False)
    assert found.tokens == 30 + 40 + 25


def test_what_the_request_takes_counts_against_the_limit() -> None:
    assert fitted((20, 20), used=60).groups == [1]
    assert fitted((20, 20), used=40).groups == [1, 0]


def test_the_turn_before_the_request_is_kept_whole_and_ends_the_tail() -> None:
    found = fitted((10, 10, 300))
    assert (found.groups, found.partial, found.rescued) == ([2], [], True)


def test_only_the_turn_right_before_the_request_is_rescued() -> None:
    found = fitted((10, 300, 20))
    assert (found.groups, found.partial, found.rescued) == ([2], [], False)


def test_nothing_is_rescued_that_passes_the_call_or_when_it_is_switched_off() -> None:
    assert not fitted((10, 300), room=200).rescued
    assert not fitted((10, 300), rescue=False).groups


def planned(summaries: int, active: int) -> list[int | None]:
    """Three summaries of 40 tokens before a request of 10; positions of those that are in."""
    items = [Item(40, "user", f"s{at}", at, "summary") for at in range(3)] + [Item(10, "user", "u", 3, "prompt")]
    groups = [Group("summary", (at,), 40, f"group:{at}-{at}") for at in range(3)]
    budget = Budget(
        window=900, reserve=0, margin=0, hard=active, soft=active, target=active, active=active, tail=active,
        history=0, project=0, pins=0, memory=0, summaries=summaries, card=0, excerpts=0,
    )  # fmt: skip
    plan = planner.plan(PlanInput(tuple(items), (*groups, Group("turn", (3,), 10, "group:3-3")), budget))
    return [one.position for one in plan.included if one.kind == "summary"]


def test_summaries_are_added_newest_first_within_their_budget_and_the_call() -> None:
    assert planned(500, 500) == [0, 1, 2]
    assert planned(100, 500) == [1, 2]
    assert planned(39, 500) == []
    assert planned(500, 100) == [1, 2]
    assert planned(500, 50) == [2]


def test_of_equal_scores_the_later_supplement_comes_first() -> None:
    offered = [
        Supplement(name, "retrieval", "", 60, ("e",), score) for name, score in [("a", 1.0), ("b", 1.0), ("c", 2.0)]
    ]
    budget = Budget(
        window=900, reserve=0, margin=0, hard=900, soft=900, target=900, active=900, tail=0,
        history=130, project=0, pins=0, memory=0, summaries=0, card=0, excerpts=0,
    )  # fmt: skip
    chosen, refused = choose(offered, budget, 900)
    assert chosen == [2, 1]
    assert list(refused) == [0]
