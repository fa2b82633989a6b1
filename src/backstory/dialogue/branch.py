"""Finds the branches of a session: which entries lead to a leaf, and which leaves there are.

A parent is always an earlier entry, the latest one of that id, so repeated ids are safe and cycles cannot arise.
Positions are indices into the sequence of nodes. What a model sees of a branch is for `active` to say.
"""

from collections.abc import Sequence

from backstory.dialogue.dialects import Dialect, dialect
from backstory.records.node import Node

NOWHERE = -1
# Most entries that are gone through for the ends of branches: a torn log may have as many branches as entries.
MOST_FOLLOWED = 500_000


def path(nodes: Sequence[Node], leaf: int | None = None, *, shape: str, rules: str) -> list[int]:
    """Positions of the branch that ends in `leaf` (by default the active one), in file order.

    In a line this is everything up to the leaf. Empty when the session has no leaf.
    """
    end = active_leaf(nodes, shape=shape, rules=rules) if leaf is None else leaf
    if end is None:
        return []
    if shape != "tree":
        return list(range(end + 1))
    up = parents(nodes, rules=rules)
    found = []
    at = end
    while at != NOWHERE:
        found.append(at)
        at = up[at]
    found.reverse()
    return _with_parallel(nodes, found, up) if dialect(rules).parallel else found


def active_leaf(nodes: Sequence[Node], *, shape: str, rules: str) -> int | None:
    """Position of the entry that the agent would go on from, None when there is none."""
    if shape != "tree":
        return len(nodes) - 1 if nodes else None
    main = main_thread(nodes)
    dialect_ = dialect(rules)
    for at in range(len(nodes) - 1, -1, -1):
        if _may_lead(nodes[at], dialect_, main=main):
            return at
    return None


def leaves(nodes: Sequence[Node], *, shape: str, rules: str) -> list[int]:
    """Positions of all entries that nothing hangs on, in file order; in a line only the last entry."""
    if shape != "tree":
        return [len(nodes) - 1] if nodes else []
    has_child = [False] * len(nodes)
    for above in parents(nodes, rules=rules):
        if above != NOWHERE:
            has_child[above] = True
    return [at for at, node in enumerate(nodes) if node.entry_id is not None and not has_child[at]]


def ends(nodes: Sequence[Node], *, shape: str, rules: str) -> list[int]:
    """Positions of the leaves that a person would call the end of a branch, in file order.

    Where an agent hangs records of its own and parallel results beside a conversation, no branch ends with these: an
    end is an entry that a model sees, with none below it, and on no branch that ends later. Of many ends in a long log
    only the last are followed, and what hangs beside the others counts as an end.
    """
    found = leaves(nodes, shape=shape, rules=rules)
    if shape != "tree" or not dialect(rules).parallel:
        return found
    above = parents(nodes, rules=rules)
    leads = [False] * len(nodes)
    for at in range(len(nodes) - 1, -1, -1):
        if above[at] != NOWHERE and (leads[at] or nodes[at].visible):
            leads[above[at]] = True
    kept: list[int] = []
    covered: set[int] = set()
    for at in range(len(nodes) - 1, -1, -1):
        if nodes[at].visible and nodes[at].entry_id is not None and not leads[at] and at not in covered:
            if len(kept) * len(nodes) < MOST_FOLLOWED:
                covered.update(path(nodes, at, shape=shape, rules=rules))
            kept.append(at)
    return kept[::-1] or found


def parents(nodes: Sequence[Node], *, rules: str) -> list[int]:
    """The position of each node's parent, `NOWHERE` for a root. Main and side threads are trees of their own."""
    follow = not dialect(rules).orphan_roots
    latest: dict[bool, dict[str, int]] = {True: {}, False: {}}
    last = {True: NOWHERE, False: NOWHERE}
    found = []
    for at, node in enumerate(nodes):
        above = NOWHERE
        if node.parent_id is not None:
            above = latest[node.sidechain].get(node.parent_id, last[node.sidechain] if follow else NOWHERE)
        found.append(above)
        if node.entry_id is not None:
            latest[node.sidechain][node.entry_id] = at
            last[node.sidechain] = at
    return found


def main_thread(nodes: Sequence[Node]) -> bool:
    """The sidechain mark of the main thread: set only where every entry carries it, as in a subagent's own file."""
    return bool(nodes) and all(node.sidechain for node in nodes)


def _may_lead(node: Node, rules: Dialect, *, main: bool) -> bool:
    return node.entry_id is not None and node.sidechain == main and (rules.any_leaf or node.visible)


def _with_parallel(nodes: Sequence[Node], branch: list[int], up: Sequence[int]) -> list[int]:
    """The branch with the calls and results of parallel exchanges that hang on it sideways."""
    member = [False] * len(nodes)
    calling = [False] * len(nodes)
    made: set[str] = set()
    for at in branch:
        member[at] = True
    for at, node in enumerate(nodes):
        above = up[at]
        beside = not member[at] and above != NOWHERE and member[above]
        if beside and sideways(node, made, under_call=calling[above]):
            member[at] = True
        if member[at]:
            calls = node.calls if node.call_ids else ()
            calling[at] = bool(calls) or (not node.visible and above != NOWHERE and calling[above])
            made.update(calls)
    return [at for at, belongs in enumerate(member) if belongs]


def sideways(node: Node, made: set[str], *, under_call: bool) -> bool:
    """Whether an entry that hangs on a branch sideways belongs to it: `made` are the ids of its calls so far."""
    if node.op is not None or node.entry_id is None:
        return False
    if node.answers and node.visible:
        return not made.isdisjoint(node.answers)
    return under_call and (bool(node.calls) or not node.visible)
