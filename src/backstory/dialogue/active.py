"""Says what a model call would see at a leaf: which entries, in which order, edited by which others.

`select` gives the stretch of a branch that a call draws from, entries without a message included; `context` keeps
what really reaches the model. Lines are folded by `splice`. Whole-session surfaces are for `surface`.
"""

from collections.abc import Sequence

from backstory.dialogue import splice
from backstory.dialogue.branch import path
from backstory.dialogue.dialects import Dialect, dialect
from backstory.records.node import Node
from backstory.records.session import Kind, Op

_EDITABLE = frozenset({Kind.PROMPT, Kind.MESSAGE, Kind.TOOL_CALL, Kind.TOOL_RESULT, Kind.MEMORY, Kind.ERROR})


def context(nodes: Sequence[Node], leaf: int | None = None, *, shape: str, rules: str) -> list[int]:
    """Sequence numbers of what a call made at `leaf` (by default the active one) would see, in model order.

    Where an edit replaced an entry, the number of the edit stands in its place.
    """
    return [nodes[at].seq for at in seen(nodes, leaf, shape=shape, rules=rules)]


def seen(
    nodes: Sequence[Node], leaf: int | None = None, *, shape: str, rules: str, way: Sequence[int] | None = None
) -> list[int]:
    """Like `context`, as positions; `way` is the branch to the leaf where the caller has it already."""
    if shape != "tree":
        upto = nodes if leaf is None else nodes[: leaf + 1]
        return splice.fold(upto).current
    branch = path(nodes, leaf, shape=shape, rules=rules) if way is None else way
    if all(nodes[at].op is None for at in branch):
        return [at for at in branch if nodes[at].visible]
    chosen = select(nodes, branch, dialect(rules))
    edited = edits(nodes, branch, chosen, dialect(rules))
    return _visible(nodes, chosen, edited)


def select(nodes: Sequence[Node], branch: Sequence[int], rules: Dialect) -> list[int]:
    """Positions of a branch that a call draws from, in model order: the newest compaction, what it kept, what followed.

    Entries that carry no message (labels, model changes, edits) are included.
    """
    cut, reset = _cut(nodes, branch)
    if cut is None:
        return list(branch[reset:])
    start = max(_kept_from(nodes, branch, cut), reset)
    kept = [at for at in branch[start:cut] if not _left_behind(nodes[at], rules)]
    return [branch[cut], *kept, *branch[cut + 1 :]]


def _kept_from(nodes: Sequence[Node], branch: Sequence[int], cut: int) -> int:
    """Index in the branch from where the compaction at index `cut` keeps entries; `cut` when it keeps none."""
    target = nodes[branch[cut]].target
    if target is not None:
        for index in range(cut):
            if nodes[branch[index]].entry_id == target:
                return index
    return cut


def edits(nodes: Sequence[Node], branch: Sequence[int], chosen: Sequence[int], rules: Dialect) -> dict[int, int]:
    """For each chosen position that an edit changed, the position of the last such edit among the chosen."""
    found: dict[int, int] = {}
    if not rules.edits:
        return found
    among = set(chosen)
    latest: dict[str, int] = {}
    for at in branch:
        node = nodes[at]
        if node.op == Op.EDIT and node.target is not None and at in among:
            target = latest.get(node.target)
            if target is not None and target in among and nodes[target].kind in _EDITABLE:
                found[target] = at
        if node.entry_id is not None:
            latest[node.entry_id] = at
    return found


def _cut(nodes: Sequence[Node], branch: Sequence[int]) -> tuple[int | None, int]:
    """Index of the newest compaction, None when a reset came later or there is none, and of the newest reset or 0."""
    cut = None
    for index in range(len(branch) - 1, -1, -1):
        op = nodes[branch[index]].op
        if op == Op.RESET:
            return cut, index
        if op == Op.COMPACT and cut is None:
            cut = index
    return cut, 0


def _left_behind(node: Node, rules: Dialect) -> bool:
    return node.kind in rules.left_behind or (node.op == Op.COMPACT and not rules.compactions_repeat)


def _visible(nodes: Sequence[Node], chosen: Sequence[int], edited: dict[int, int]) -> list[int]:
    found = []
    for at in chosen:
        if nodes[at].op == Op.EDIT or not nodes[at].visible:
            continue
        by = edited.get(at)
        if by is None:
            found.append(at)
        elif nodes[by].visible:
            found.append(by)
    return found
