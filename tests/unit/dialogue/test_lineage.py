"""Lineage: families of sessions, and what became of an entry."""

import pytest

from backstory.dialogue.lineage import origin, trace
from backstory.errors import InvalidLineageError

FAMILY = [("a", None), ("b", "a"), ("d", "b"), ("c", "a"), ("e", "b"), ("f", "lost"), ("g", "f")]


def test_a_family_seen_from_its_middle() -> None:
    found = trace("b", FAMILY)
    assert (found.ancestors, found.root, found.complete) == (("a",), "a", True)
    assert [(kin.id, kin.parent, kin.depth) for kin in found.descendants] == [("d", "b", 1), ("e", "b", 1)]


def test_descendants_are_read_as_a_tree() -> None:
    assert [(kin.id, kin.depth) for kin in trace("a", FAMILY).descendants] == [("b", 1), ("d", 2), ("e", 2), ("c", 1)]


def test_an_unknown_ancestor_makes_it_incomplete() -> None:
    found = trace("g", FAMILY)
    assert (found.ancestors, found.missing, found.complete, found.root) == (("f",), "lost", False, None)


@pytest.mark.parametrize("pairs", [[("a", "a")], [("a", "b"), ("b", "a")], [("a", "b"), ("b", "c"), ("c", "b")]])
def test_a_cycle_above_is_refused(pairs: list[tuple[str, str | None]]) -> None:
    with pytest.raises(InvalidLineageError):
        trace("a", pairs)


def test_a_session_listed_twice_is_walked_once() -> None:
    found = trace("a", [("a", None), ("x", "a"), ("y", "x"), ("x", "y")])
    assert [kin.id for kin in found.descendants] == ["x", "y"]


def test_depth_has_no_limit() -> None:
    pairs = [(str(at), str(at - 1) if at else None) for at in range(20_000)]
    assert len(trace("0", pairs).descendants) == 19_999
    assert trace("19999", pairs).root == "0"


def test_an_entry_follows_its_replacements() -> None:
    found = origin(1, {1: 4, 2: 4, 4: 7}, {4: (1, 2), 7: (4,), 9: (1,)})
    assert (found.replaced_by, found.chain, found.replaced, found.sources, found.derived) == (4, (4, 7), (), (), (4, 9))
    later = origin(4, {1: 4, 2: 4, 4: 7}, {4: (1, 2), 7: (4,)})
    assert (later.chain, later.replaced, later.sources, later.derived) == ((7,), (1, 2), (1, 2), (7,))
    assert origin(9, {}, {}).chain == ()
