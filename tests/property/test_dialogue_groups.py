"""Groups and splices hold together on any history, and splices equal a plain slow fold."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from backstory.dialogue import splice
from backstory.dialogue.groups import Grouping, groups
from backstory.records.node import Node
from backstory.records.session import Kind, Op

KINDS = [Kind.PROMPT, Kind.MESSAGE, Kind.TOOL_CALL, Kind.TOOL_RESULT, Kind.TOOL_RESULT, Kind.SUMMARY]
CALLS = st.lists(st.sampled_from(["x", "y", "z"]), max_size=2).map(tuple)
SPANS = st.tuples(st.integers(0, 20), st.integers(0, 20))

TALKS = st.lists(
    st.builds(Node, seq=st.just(0), kind=st.sampled_from(KINDS), visible=st.booleans(), call_ids=CALLS), max_size=20
)
SPLICES = st.lists(st.tuples(st.booleans(), st.none() | SPANS), max_size=20)


@settings(max_examples=300)
@given(TALKS)
def test_groups_hold_every_entry_once(nodes: list[Node]) -> None:
    members = [at for group in groups(nodes) for at in group.members]
    assert sorted(members) == list(range(len(nodes)))
    assert all(group.members == tuple(sorted(group.members)) for group in groups(nodes))
    assert [group.members[0] for group in groups(nodes)] == sorted(group.members[0] for group in groups(nodes))


@settings(max_examples=300)
@given(TALKS)
def test_groups_never_tear_an_exchange(nodes: list[Node]) -> None:
    owner = {at: group.id for group in groups(nodes) for at in group.members}
    for at, node in enumerate(nodes):
        for id_ in node.answers:
            calls = [earlier for earlier in range(at) if id_ in nodes[earlier].calls]
            assert not calls or owner[calls[-1]] == owner[at]


@settings(max_examples=300)
@given(TALKS, st.integers(0, 20))
def test_groups_are_the_same_however_they_grew(nodes: list[Node], cut: int) -> None:
    grown = Grouping()
    grown.take(nodes[:cut])
    assert grown.groups() == groups(nodes[:cut])
    grown.take(nodes[cut:])
    assert grown.groups() == groups(nodes)


@settings(max_examples=500)
@given(SPLICES)
def test_splices_equal_a_plain_fold(drawn: list[tuple[bool, tuple[int, int] | None]]) -> None:
    nodes = [
        Node(
            seq=seq,
            kind=Kind.MESSAGE,
            visible=visible,
            op=Op.REPLACE if span else None,
            target=f"{span[0]}-{span[1]}" if span else None,
        )
        for seq, (visible, span) in enumerate(drawn)
    ]
    assert splice.fold(nodes).current == plain(nodes)
    spread = [msgspec.structs.replace(node, seq=node.seq * 3 + 1) for node in nodes]
    assert splice.fold(spread).current == plain(spread)


def plain(nodes: list[Node]) -> list[int]:
    """The same rules on a plain list, one scan per operation."""
    listed: list[int] = []
    for at, node in enumerate(nodes):
        if node.op is None:
            listed += [at] if node.visible else []
            continue
        low, high = (int(end) for end in str(node.target).split("-"))
        seqs = [nodes[member].seq for member in listed]
        if low in seqs and high in seqs and seqs.index(low) <= seqs.index(high):
            gone = listed[seqs.index(low) : seqs.index(high) + 1]
        else:
            gone = [member for member in listed if low <= nodes[member].seq <= high]
        place = listed.index(next(member for member in listed if member in gone)) if gone else len(listed)
        listed = [member for member in listed if member not in gone]
        if node.visible:
            listed.insert(place, at)
    return listed
