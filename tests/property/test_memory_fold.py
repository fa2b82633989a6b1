"""The fold does not depend on the order in which records arrive."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from backstory.plan.memory import mutations as shapes
from backstory.plan.memory.fold import fold
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


@given(mutations(), st.integers(0, 8))
def test_folding_what_is_tied_together_gives_what_folding_everything_gives(
    given_mutations: list[Mutation], start: int
) -> None:
    ties = {one.key: shapes.ties(change) for one in given_mutations if (change := checked(one)) is not None}
    if start >= len(given_mutations) or given_mutations[start].key not in ties:
        return
    reach = set(ties[given_mutations[start].key])
    while True:
        members = [one for one in given_mutations if ties.get(one.key, frozenset()) & reach]
        wider = reach.union(*(ties[one.key] for one in members))
        if wider == reach:
            break
        reach = wider
    part, whole = fold(members), fold(given_mutations)
    assert part.memories == tuple(item for item in whole.memories if f"memory {item.id}" in reach)
    assert part.pins == tuple(item for item in whole.pins if f"pin {item.id}" in reach)
    keys = {one.key for one in members}
    assert set(part.refused) == {one for one in whole.refused if one.mutation in keys}


def checked(mutation: Mutation) -> shapes.CheckedMutation | None:
    try:
        return shapes.read(mutation)
    except shapes.Refused:
        return None
