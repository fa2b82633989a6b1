"""Mutations fold to one state: shapes, replay order, status changes, conflicts; proposals and selection."""

from typing import Any

import msgspec
import pytest

from backstory.errors import UsageError
from backstory.plan.memory import rules as memory_rules
from backstory.plan.memory import select as memory_select
from backstory.plan.memory.fold import fold
from backstory.records.memory import MEMORY_TYPE, PIN_TYPE, Kept, Mutation
from backstory.text.tokens import count


def item(id_: str, text: str, type_: str = MEMORY_TYPE, **more: Any) -> dict[str, Any]:
    if type_ == MEMORY_TYPE:
        return {"id": id_, "scope": "session", "claim": text, "createdAt": 1, "sourceEntryIds": ["e9"], **more}
    return {"id": id_, "scope": "session", "content": text, "createdAt": 1, **more}


def mutation(operation: str, order: int, type_: str = MEMORY_TYPE, **more: Any) -> Mutation:
    fields = {name: more.pop(name) for name in ("session", "project", "ready", "time") if name in more}
    payload = {"schemaVersion": 1, "mutationId": f"m{order}", "createdAt": order, "operation": operation, **more}
    session = fields.pop("session", "s1")
    return Mutation(type_, session, f"x{order}", order, payload, parent="leaf", **fields)


def statuses(*mutations: Mutation) -> dict[str, str]:
    state = fold(mutations)
    return {kept.id: kept.status for kept in (*state.memories, *state.pins)}


def test_an_added_memory_carries_its_provenance() -> None:
    state = fold(
        [mutation("add", 1, item=item("a", "tests run with go", key="tests", classification="internal"), time=77)]
    )
    (kept,) = state.memories
    assert (kept.id, kept.text, kept.created, kept.level, kept.key) == (
        "a",
        "tests run with go",
        77,
        "internal",
        "tests",
    )
    assert (kept.sources, kept.branch, kept.mutation) == (("x1", "e9"), "leaf", "x1")


def test_what_a_record_says_of_its_time_counts_where_its_entry_tells_none() -> None:
    (kept,) = fold([mutation("add", 7, item=item("a", "x") | {"createdAt": 5})]).memories
    assert kept.created == 5
    (kept,) = fold([mutation("add", 7, item=item("a", "x") | {"createdAt": 5}, time=9)]).memories
    assert kept.created == 9


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"time": 1, "session": "s9"}, {"time": 2, "session": "s1"}),
        ({"session": "s1", "order": 9}, {"session": "s2", "order": 1}),
        ({"order": 1, "mutationId": "z"}, {"order": 2, "mutationId": "a"}),
        ({"order": 1, "mutationId": "a", "entry": "z"}, {"order": 1, "mutationId": "b", "entry": "a"}),
    ],
)
def test_records_count_by_time_then_session_then_place_then_mutation(
    first: dict[str, Any], second: dict[str, Any]
) -> None:
    """Every program that reads the same sessions replays them in this order: of two items of one id the first stays."""

    def made(text: str, order: int = 1, entry: str = "x", **more: Any) -> Mutation:
        fields = {"project": "/p", "time": 5, "mutationId": "m", **more}
        given = mutation("add", order, item=item("a", text, scope="project", projectPath="/p"), **fields)
        return msgspec.structs.replace(given, entry=entry)

    records = [made("first", **first), made("second", **second)]
    for given in (records, records[::-1]):
        assert [kept.text for kept in fold(given).memories] == ["first"]


def test_a_mutation_id_repeats_only_within_its_session() -> None:
    one = mutation("add", 1, item=item("a", "x"), mutationId="m")
    other = mutation("add", 1, item=item("b", "y"), mutationId="m", session="s2")
    assert statuses(one, other) == {"a": "active", "b": "active"}


def test_a_replacement_that_another_record_made_replaces_nothing() -> None:
    old, there = mutation("add", 1, item=item("a", "x")), mutation("add", 2, item=item("b", "y"))
    state = fold([old, there, mutation("supersede", 3, previousId="a", item=item("b", "y"))])
    assert {kept.id: kept.status for kept in state.memories} == {"a": "active", "b": "active"}
    assert len(state.warnings) == 1


def test_a_superseded_memory_points_at_its_replacement() -> None:
    state = fold(
        [mutation("add", 1, item=item("a", "x")), mutation("supersede", 2, previousId="a", item=item("b", "y"))]
    )
    first, second = state.memories
    assert (first.status, first.superseded_by, second.supersedes) == ("superseded", "b", "a")


def test_a_status_clears_what_superseded_it() -> None:
    state = fold(
        [
            mutation("add", 1, item=item("a", "x")),
            mutation("supersede", 2, previousId="a", item=item("b", "y")),
            mutation("status", 3, memoryId="a", status="expired", reason="old"),
        ]
    )
    assert (state.memories[0].status, state.memories[0].superseded_by, state.memories[0].reason) == (
        "expired",
        None,
        "old",
    )


def test_a_pin_is_deleted() -> None:
    changes = [
        mutation("add", 1, PIN_TYPE, item=item("p", "keep", PIN_TYPE, scope="branch", branchLeafId="l1")),
        mutation("status", 2, PIN_TYPE, pinId="p", status="deleted"),
    ]
    assert statuses(*changes) == {"p": "deleted"}
    assert fold(changes).pins[0].leaf == "l1"


@pytest.mark.parametrize(
    "broken",
    [
        {"schemaVersion": 2},
        {"schemaVersion": True},
        {"mutationId": ""},
        {"createdAt": "1"},
        {"createdAt": float("nan")},
        {"operation": "merge"},
        {"item": None},
        {"item": item("a", "x", scope="branch")},
        {"item": item("a", "x", classification="secret")},
        {"item": item("a", "x", sourceEntryIds="e9")},
        {"item": item("a", "x", key=7)},
    ],
)
def test_another_shape_is_ignored_with_a_warning(broken: dict[str, Any]) -> None:
    good = mutation("add", 1, item=item("a", "x"))
    payload = {**good.payload, **broken}
    state = fold([Mutation(MEMORY_TYPE, "s1", "x1", 1, payload)])
    assert (state.memories, len(state.warnings)) == ((), 1)


def test_unknown_keys_are_tolerated() -> None:
    assert statuses(mutation("add", 1, item=item("a", "x", later=1), extra=2)) == {"a": "active"}


def test_a_repeated_mutation_id_counts_once() -> None:
    first, second = mutation("add", 1, item=item("a", "x")), mutation("add", 2, item=item("b", "y"), mutationId="m1")
    state = fold([second, first])
    assert [kept.id for kept in state.memories] == ["a"]
    assert len(state.warnings) == 1


def test_of_active_memories_with_one_key_the_first_stays() -> None:
    state = fold([mutation("add", 2, item=item("b", "y", key="k")), mutation("add", 1, item=item("a", "x", key="k"))])
    first, second = state.memories
    assert (first.id, first.status, first.contradicts) == ("a", "active", ("b",))
    assert (second.id, second.status, second.contradicts) == ("b", "invalid", ("a",))


def test_project_state_follows_only_its_own_readable_project() -> None:
    in_project = {"scope": "project", "projectPath": "/p"}
    added = mutation("add", 1, item=item("a", "x", **in_project), project="/p")
    assert statuses(added) == {"a": "active"}
    assert statuses(mutation("add", 1, item=item("a", "x", **in_project), project="/q")) == {}
    assert statuses(mutation("add", 1, item=item("a", "x", **in_project), project="/p", ready=False)) == {}
    other = mutation("status", 2, memoryId="a", status="invalid", session="s2", project="/q")
    assert statuses(added, other) == {"a": "active"}
    same = mutation("status", 2, memoryId="a", status="invalid", session="s2", project="/p")
    assert statuses(added, same) == {"a": "invalid"}


def test_session_state_is_out_of_reach_of_other_sessions() -> None:
    added = mutation("add", 1, item=item("a", "x"))
    assert statuses(added, mutation("status", 2, memoryId="a", status="invalid", session="s2")) == {"a": "active"}
    stolen = mutation("supersede", 2, previousId="a", item=item("b", "y"), session="s2")
    assert statuses(added, stolen) == {"a": "active", "b": "active"}


@pytest.mark.parametrize(
    ("claim", "key"),
    [
        ("The build tool is Bazel", "the-build-tool"),
        ("Timeout defaults to 30s", "timeout"),
        ("Max retries: 4", "max-retries"),
        ("just a remark", None),
    ],
)
def test_keys_are_derived_from_the_form_of_a_claim(claim: str, key: str | None) -> None:
    assert memory_rules.derived_key(claim) == key


def kept(id_: str, text: str, **more: Any) -> Kept:
    return Kept(
        "memory", id_, more.pop("scope", "session"), text, more.pop("created", 1), "s1", "x", sources=("x",), **more
    )


def test_an_obligation_says_something_of_its_own() -> None:
    assert memory_rules.base("Tests must pass") == "tests must pass"
    assert memory_rules.base("Caching is required, not off!") == "caching is"
    assert memory_rules.polarity("it must be on") == 1
    assert memory_rules.polarity("it must not be on") == -1
    assert not memory_rules.conflicts("tests must pass", None, [kept("a", "tests never pass")])


def test_the_opposite_of_a_known_claim_is_a_conflict() -> None:
    known = [kept("a", "Telemetry is enabled"), kept("b", "The cache is never used")]
    assert [one.id for one in memory_rules.conflicts("telemetry is disabled", None, known)] == ["a"]
    assert not memory_rules.conflicts("logging is disabled", None, known)


def test_text_without_content_or_too_long_is_refused() -> None:
    assert memory_rules.normal_text("  a \n b ", 10) == "a b"
    with pytest.raises(UsageError):
        memory_rules.normal_text("  ", 10)
    with pytest.raises(UsageError):
        memory_rules.normal_text("x" * 11, 10)


def test_a_memory_is_scored_by_place_key_and_shared_words() -> None:
    match = memory_select.MemoryMatch(kept("a", "the parser is recursive", key="parser"), ("Parser",), keyed=True)
    (chosen,) = memory_select.memories([match], most=12, room=8_000, cost=count)
    assert chosen.score == 30 + 8 + 45 + 12
    assert "[DS4 DURABLE MEMORY — QUOTED DATA]" in chosen.text
    assert '"shares Parser with the request"' in chosen.text


def test_many_shared_words_count_for_sixty_at_most() -> None:
    assert memory_select.score(memory_select.MemoryMatch(kept("a", "x"), tuple("abcdefgh"))) == 30 + 8 + 60


def test_a_memory_that_does_not_fit_makes_room_for_the_next() -> None:
    matches = [memory_select.MemoryMatch(kept("a", "long " * 300)), memory_select.MemoryMatch(kept("b", "short"))]
    assert [one.id for one in memory_select.memories(matches, most=12, room=200, cost=count)] == ["b"]
    assert [one.id for one in memory_select.memories(matches, most=1, room=8_000, cost=count)] == ["a"]


def test_the_newest_three_stand_in_for_continuity() -> None:
    known = [kept(str(number), f"claim {number}", created=number) for number in range(5)]
    assert [one.item.id for one in memory_select.continuity(known)] == ["4", "3", "2"]


def test_a_branch_pin_applies_while_its_leaf_is_on_the_branch() -> None:
    pin = Kept("pin", "p", "branch", "x", 1, "s1", "x", leaf="l1")
    assert memory_select.pins([pin], session="s1", project=None, branch={"l1"}) == [pin]
    assert memory_select.pins([pin], session="s1", project=None, branch={"l2"}) == []
