"""Classifies every entry of a session: would a model call made now see it, did one see it once, or never.

An entry that reaches a model at all is current or shadowed; one that never does is log-only. Entries of side threads
(subagents inside a main file) were seen by another model call, so they count as shadowed. `append` classifies one more
entry from a small `Tip` alone; where that entry may change others it declines, and the session is folded again.
"""

from collections.abc import Sequence

import msgspec

from backstory.dialogue import active, splice
from backstory.dialogue.branch import active_leaf, main_thread, path
from backstory.dialogue.dialects import Dialect, dialect
from backstory.records.node import Node, Tip
from backstory.records.session import Kind, Op, Surface

_PLAIN, _CALL, _RESULT = "plain", "call", "result"
_MOST_ENDS = 64


def fold(nodes: Sequence[Node], *, shape: str, rules: str, strict: bool = False) -> list[str]:
    """The surface of each node.

    Raises `InvalidSurfaceError` when `strict` and an operation of a line refers to entries that are not on the surface;
    otherwise such an operation takes what it can and the fold goes on.
    """
    if shape == "tree":
        current = active.seen(nodes, shape=shape, rules=rules)
    else:
        current = splice.fold(nodes, strict=strict).current
    found = [Surface.SHADOWED if node.visible else Surface.LOG_ONLY for node in nodes]
    for at in current:
        found[at] = Surface.CURRENT
    return found


def replaced(nodes: Sequence[Node], *, shape: str, rules: str) -> dict[int, int]:
    """For each position that an operation took from the model's sight, the position of that operation.

    Entries that are shadowed because they lie on another branch are not in it.
    """
    if shape != "tree":
        return splice.fold(nodes).replaced
    known = dialect(rules)
    branch = path(nodes, shape=shape, rules=rules)
    found = _cut_away(nodes, branch, known)
    found.update(active.edits(nodes, branch, branch, known))
    for at in active.seen(nodes, shape=shape, rules=rules):
        found.pop(at, None)
    return {at: by for at, by in found.items() if nodes[at].visible}


def stand_ins(nodes: Sequence[Node]) -> dict[int, int]:
    """For each operation that no model sees but whose summary follows as its child, the position of that summary."""
    hidden = {node.entry_id: at for at, node in enumerate(nodes) if node.op and not node.visible and node.entry_id}
    found: dict[int, int] = {}
    for at, node in enumerate(nodes):
        if node.kind == Kind.SUMMARY and node.visible and node.parent_id in hidden:
            found.setdefault(hidden[node.parent_id], at)
    return found


def tip(nodes: Sequence[Node], *, shape: str, rules: str) -> Tip:
    """The tip of a session as it stands."""
    thread = main_thread(nodes) if nodes else None
    leaf = active_leaf(nodes, shape=shape, rules=rules)
    if shape != "tree" or leaf is None:
        return Tip(shape, rules, thread)
    end = nodes[leaf]
    found = Tip(shape, rules, thread, led=True, ends={end.entry_id or "": _part(end, rules)}, open_calls=end.calls)
    for node in nodes[leaf + 1 :]:
        if node.sidechain == thread:
            found = _hang(found, node)
    return found


def append(tip: Tip, node: Node, *, rules: str) -> tuple[Tip, str] | None:
    """The surface of an entry that follows, and the tip after it; None when the session must be folded again.

    Folding again is asked for when the entry carries an operation, moves the active branch, changes which thread is
    the main one, or when the session's `rules` are no longer those of the tip.
    """
    thread = node.sidechain if tip.thread is None else tip.thread
    if node.op is not None or rules != tip.rules or (thread and not node.sidechain):
        return None
    tip = msgspec.structs.replace(tip, thread=thread)
    unseen = Surface.SHADOWED if node.visible else Surface.LOG_ONLY
    if node.sidechain != thread:
        return tip, unseen
    if tip.shape != "tree":
        return tip, _seen(node)
    if not (node.visible or dialect(rules).any_leaf):
        return _hang(tip, node), Surface.LOG_ONLY
    if node.entry_id is None:
        return tip, unseen
    grown = _grow(tip, node)
    return (grown, _seen(node)) if grown else None


def _seen(node: Node) -> str:
    return Surface.CURRENT if node.visible else Surface.LOG_ONLY


def _hang(tip: Tip, node: Node) -> Tip:
    """The tip after an entry that no model sees: it leaves the leaf where it is, but may become a parent."""
    if node.entry_id is None or not tip.led:
        return tip
    part = tip.ends.get(node.parent_id) if node.parent_id is not None and node.op is None else None
    ends = {id_: old for id_, old in tip.ends.items() if id_ != node.entry_id}
    if part is not None:
        ends[node.entry_id] = _CALL if part == _CALL else _PLAIN
    return msgspec.structs.replace(tip, ends=_bounded(ends))


def _grow(tip: Tip, node: Node) -> Tip | None:
    """The tip once `node` is the leaf; None when that abandons entries which are now on the branch."""
    part = tip.ends.get(node.parent_id) if node.parent_id is not None else None
    if tip.led and part is None:
        return None
    id_ = node.entry_id or ""
    answered = part in {_CALL, _RESULT} and not set(tip.open_calls).isdisjoint(node.answers)
    if answered or (part == _CALL and node.calls):
        ends = {**tip.ends, id_: _RESULT if answered else _CALL}
        return msgspec.structs.replace(tip, ends=_bounded(ends), open_calls=tip.open_calls + node.calls)
    return msgspec.structs.replace(tip, led=True, ends={id_: _part(node, tip.rules)}, open_calls=node.calls)


def _part(node: Node, rules: str) -> str:
    return _CALL if node.calls and dialect(rules).parallel else _PLAIN


def _bounded(ends: dict[str, str]) -> dict[str, str]:
    """At most the newest ends: hanging on an older one only means that the session is folded again."""
    return ends if len(ends) <= _MOST_ENDS else dict(list(ends.items())[-_MOST_ENDS:])


def _cut_away(nodes: Sequence[Node], branch: Sequence[int], known: Dialect) -> dict[int, int]:
    """For each position of the branch that a compaction or reset took away, the first one that did."""
    found: dict[int, int] = {}
    first: dict[str, int] = {}
    gone = 0
    newest: int | None = None
    for index, at in enumerate(branch):
        node = nodes[at]
        if node.op in {Op.COMPACT, Op.RESET}:
            start = first.get(node.target, index) if node.op == Op.COMPACT and node.target is not None else index
            found.update(dict.fromkeys(branch[gone:start], at))
            gone = max(gone, start)
            if newest is not None and not known.compactions_repeat:
                found.setdefault(newest, at)
            newest = at if node.op == Op.COMPACT else None
        if node.entry_id is not None:
            first.setdefault(node.entry_id, index)
    return found
