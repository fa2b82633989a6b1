"""Folds a session without branches: an ordered list of what the model sees, which operations cut and splice.

Every entry enters and leaves the list at most once, so a fold takes linear time however many operations there are.
Trees are folded by `active`; the list itself is `chain`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

import msgspec

from backstory.dialogue.chain import Chain
from backstory.errors import InvalidSurfaceError
from backstory.records.node import Node
from backstory.records.session import Op


class Folded(msgspec.Struct, gc=False):
    """`current` positions in model order, and for each position taken away the position that took it."""

    current: list[int]
    replaced: dict[int, int]


def fold(nodes: Sequence[Node], *, strict: bool = False) -> Folded:
    """Fold all entries.

    A replacement whose ends are not both in the list, in this order, takes what is left between their sequence
    numbers; a strict fold raises `InvalidSurfaceError` instead.
    """
    return _Fold(nodes, strict=strict).run()


class _Fold:
    def __init__(self, nodes: Sequence[Node], *, strict: bool) -> None:
        self._nodes = nodes
        self._strict = strict
        self._seqs = [node.seq for node in nodes]
        self._latest: dict[str, int] = {}
        self._list = Chain(len(nodes))
        self._replaced: dict[int, int] = {}

    def run(self) -> Folded:
        main = all(node.sidechain for node in self._nodes)
        for at, node in enumerate(self._nodes):
            if node.op is not None:
                self._operate(at, node)
            elif node.visible and node.sidechain == main:
                self._list.append(at)
            if node.entry_id is not None:
                self._latest[node.entry_id] = at
        return Folded(list(self._list), self._replaced)

    def _operate(self, at: int, node: Node) -> None:
        target = self._latest.get(node.target) if node.target is not None else None
        if node.op == Op.EDIT:
            self._take([target] if target is not None and target in self._list else [], at, stay=node.visible)
        elif node.op == Op.REPLACE:
            gone = self._range(at, node)
            self._take(gone, at, stay=node.visible)
            if node.visible and not gone:
                self._list.append(at)
        else:
            self._take(self._list.front(target if node.op == Op.COMPACT else None), at, stay=False)
            if node.visible:
                self._list.lead(at)

    def _take(self, gone: list[int], at: int, *, stay: bool) -> None:
        if gone:
            self._list.exchange(gone, at if stay else None)
            self._replaced.update(dict.fromkeys(gone, at))

    def _range(self, at: int, node: Node) -> list[int]:
        low, high = _bounds(node.target)
        first, last = bisect_left(self._seqs, low, hi=at), bisect_right(self._seqs, high, hi=at) - 1
        # The first may have the higher number: what replaced others stands where they stood.
        exact = first < at and last >= 0 and self._seqs[first] == low and self._seqs[last] == high
        if exact and self._list.in_order(first, last):
            return self._list.run(first, last)
        if self._strict:
            raise InvalidSurfaceError(f"entry {node.seq} replaces {node.target!r}, which is no range of the surface")
        return self._list.members(first, last + 1)


def _bounds(target: str | None) -> tuple[int, int]:
    """Both ends of "start-end"; an empty range when the target is none."""
    first, dash, last = (target or "").partition("-")
    return (int(first), int(last)) if dash and first.isdecimal() and last.isdecimal() else (0, -1)
