"""The fold does not depend on the order in which records arrive."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from backstory.plan.memory_fold import fold
from backstory.records.memory import MEMORY_TYPE, PIN_TYPE, Mutation


@st.composite
def mutations(draw: st.DrawFn) -> list[Mutation]:
    found = []
    for order in range(draw(st.integers(0, 9))):
        type_ = draw(st.sampled_from([MEMORY_TYPE, PIN_TYPE]))
        operation = draw(st.sampled_from(["add", "supersede", "status", "other"]))
        project = draw(st.sampled_from([None, "/p"]))
        payload: dict[str, Any] = {
            "schemaVersion": 1,
            "mutationId": draw(st.sampled_from(["m1", "m2", f"m{order}x"])),
            "createdAt": draw(st.integers(0, 3)),
            "operation": operation,
            "previousId": draw(st.sampled_from("abc")),
            "memoryId": draw(st.sampled_from("abc")),
            "pinId": draw(st.sampled_from("abc")),
            "status": draw(st.sampled_from(["invalid", "deleted"])),
            "item": {
                "id": draw(st.sampled_from("abc")),
                "scope": draw(st.sampled_from(["session", "project"])),
                "claim": draw(st.sampled_from(["x", "y"])),
                "content": "z",
                "key": "k",
                "createdAt": 0,
                "sourceEntryIds": [],
                "projectPath": "/p",
            },
        }
        session = draw(st.sampled_from(["s1", "s2"]))
        found.append(Mutation(type_, session, f"e{order}", order, payload, project=project, ready=draw(st.booleans())))
    return found


@given(mutations(), st.randoms(use_true_random=False))
def test_the_same_records_give_the_same_state(given_mutations: list[Mutation], random: Any) -> None:
    shuffled = list(given_mutations)
    random.shuffle(shuffled)
    one, other = fold(given_mutations), fold(shuffled)
    assert (one.memories, one.pins) == (other.memories, other.pins)


@given(mutations())
def test_at_most_one_active_memory_has_a_key_in_a_place(given_mutations: list[Mutation]) -> None:
    active = [item for item in fold(given_mutations).memories if item.status == "active" and item.key]
    places = [(item.scope, item.session if item.scope == "session" else "", item.project, item.key) for item in active]
    assert len(places) == len(set(places))
