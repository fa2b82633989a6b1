"""Random histories, hostile ones included: what is appended must equal what is folded, and folds must hold together."""

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from backstory.dialogue import active, branch, surface
from backstory.dialogue.dialects import dialect
from backstory.dialogue.way import Way
from backstory.records.node import Node, Tip
from backstory.records.session import OPS, Kind, Surface

RULES = st.sampled_from(["pi-1.6", "pi-0.84", "claude", ""])
SHAPES = st.sampled_from(["tree", "line"])
IDS = st.sampled_from(["a", "b", "c", "d", "e", "f", None])
KINDS = st.sampled_from([Kind.PROMPT, Kind.MESSAGE, Kind.TOOL_CALL, Kind.TOOL_RESULT, Kind.SYSTEM, Kind.STATE])
CALLS = st.lists(st.sampled_from(["x", "y", "z"]), max_size=2, unique=True).map(tuple)


NO_OR_OP = st.sampled_from([None] * 6 + list(OPS))
SPANS = st.tuples(st.integers(0, 24), st.integers(0, 24)).map(lambda ends: f"{ends[0]}-{ends[1]}")

WILD = st.lists(
    st.builds(
        Node,
        seq=st.just(0),
        kind=KINDS,
        visible=st.booleans(),
        entry_id=IDS,
        parent_id=IDS,
        sidechain=st.sampled_from([False, False, False, True]),
        op=NO_OR_OP,
        target=IDS | SPANS,
        call_ids=CALLS,
    ),
    max_size=20,
)

TIDY = st.lists(
    st.builds(
        Node,
        seq=st.just(0),
        kind=st.sampled_from([Kind.PROMPT, Kind.MESSAGE, Kind.TOOL_CALL, Kind.TOOL_CALL, Kind.TOOL_RESULT]),
        visible=st.sampled_from([True, True, True, False]),
        parent_id=st.sampled_from(["1", "1", "1", "1", "2", "2", "3"]),
        call_ids=CALLS,
    ),
    max_size=30,
)


def numbered(nodes: list[Node]) -> list[Node]:
    """Anything at all: repeated ids, dangling and forward parents, operations that make no sense."""
    return [msgspec.structs.replace(node, seq=seq) for seq, node in enumerate(nodes)]


def chained(nodes: list[Node]) -> list[Node]:
    """Mostly growing trees of unique ids with parallel tool calls, so that appends stay on the fast path for long."""
    return [
        msgspec.structs.replace(node, seq=seq, entry_id=str(seq), parent_id=str(seq - int(node.parent_id or 1)))
        for seq, node in enumerate(nodes)
    ]


HISTORIES = st.one_of(WILD.map(numbered), TIDY.map(chained))


@settings(max_examples=400)
@given(HISTORIES, SHAPES, RULES)
def test_appending_equals_folding(nodes: list[Node], shape: str, rules: str) -> None:
    tip = surface.tip([], shape=shape, rules=rules)
    for count, node in enumerate(nodes, 1):
        before = surface.fold(nodes[: count - 1], shape=shape, rules=rules)
        after = surface.fold(nodes[:count], shape=shape, rules=rules)
        grown = surface.append(tip, node, rules=rules)
        if grown is None:
            tip = surface.tip(nodes[:count], shape=shape, rules=rules)
        else:
            tip, last = grown
            assert after == [*before, last]
        tip = msgspec.json.decode(msgspec.json.encode(tip), type=Tip)


@settings(max_examples=200)
@given(HISTORIES, SHAPES, RULES)
def test_current_is_exactly_what_a_call_would_see(nodes: list[Node], shape: str, rules: str) -> None:
    folded = surface.fold(nodes, shape=shape, rules=rules)
    seen = active.context(nodes, shape=shape, rules=rules)
    assert sorted(seen) == [node.seq for node, found in zip(nodes, folded, strict=True) if found == Surface.CURRENT]
    assert len(set(seen)) == len(seen)


@settings(max_examples=200)
@given(HISTORIES, SHAPES, RULES)
def test_log_only_means_never_visible(nodes: list[Node], shape: str, rules: str) -> None:
    folded = surface.fold(nodes, shape=shape, rules=rules)
    assert [found != Surface.LOG_ONLY for found in folded] == [node.visible for node in nodes]


@settings(max_examples=200)
@given(HISTORIES, SHAPES, RULES)
def test_what_was_replaced_is_shadowed(nodes: list[Node], shape: str, rules: str) -> None:
    folded = surface.fold(nodes, shape=shape, rules=rules)
    for at, by in surface.replaced(nodes, shape=shape, rules=rules).items():
        assert folded[at] == Surface.SHADOWED
        assert nodes[by].op is not None
        assert at < by


@settings(max_examples=200)
@given(HISTORIES, RULES)
def test_every_leaf_has_a_branch_that_ends_in_it(nodes: list[Node], rules: str) -> None:
    for leaf in branch.leaves(nodes, shape="tree", rules=rules):
        found = branch.path(nodes, leaf, shape="tree", rules=rules)
        assert leaf in found
        assert found == sorted(set(found))
        assert set(active.select(nodes, found, dialect(rules))) <= set(found)


@settings(max_examples=400)
@given(HISTORIES, SHAPES, RULES, st.lists(st.integers(0, 30), max_size=12))
def test_a_growing_way_equals_one_worked_out_from_the_start(
    nodes: list[Node], shape: str, rules: str, cuts: list[int]
) -> None:
    way = Way()
    for count in sorted(cuts):
        known = nodes[:count]
        leaf = branch.active_leaf(known, shape=shape, rules=rules)
        way.reach(known, leaf, shape=shape, rules=rules)
        assert way.path == (branch.path(known, leaf, shape=shape, rules=rules) if leaf is not None else [])
        assert way.seen == (active.seen(known, leaf, shape=shape, rules=rules) if leaf is not None else [])


@settings(max_examples=200)
@given(HISTORIES, SHAPES, RULES, st.lists(st.integers(0, 29), max_size=8))
def test_a_way_leads_to_any_leaf_in_any_order(nodes: list[Node], shape: str, rules: str, leaves: list[int]) -> None:
    way = Way()
    for leaf in (leaf for leaf in leaves if leaf < len(nodes)):
        way.reach(nodes, leaf, shape=shape, rules=rules)
        assert way.path == branch.path(nodes, leaf, shape=shape, rules=rules)
        assert way.seen == active.seen(nodes, leaf, shape=shape, rules=rules)
