"""The branch to a leaf and what a call there sees, for a session that grows: only what is new costs anything.

Whatever could change something earlier (an operation, another branch, other rules) is worked out from the start again,
by `branch` and `active`; growing gives the same as that.
"""

from collections.abc import Sequence

from backstory.dialogue import active, branch
from backstory.dialogue.branch import NOWHERE
from backstory.dialogue.dialects import Dialect, dialect
from backstory.records.node import Node


class Way:
    """Positions of the branch that ends in `leaf`, in file order, and of what a call there sees, in model order."""

    def __init__(self) -> None:
        self.leaf: int | None = None
        self.path: list[int] = []
        self.seen: list[int] = []
        self._rules = ("", "")
        self._count = 0
        self._parents = _Parents()
        self._beside: _Beside | None = None

    def reach(self, nodes: Sequence[Node], leaf: int | None, *, shape: str, rules: str) -> None:
        """Lead to a leaf; `nodes` must begin with those given before."""
        if (shape, rules) == self._rules and leaf == self.leaf and len(nodes) == self._count:
            return
        if (shape, rules) != self._rules or not self._grow(nodes, leaf, dialect(rules)):
            if rules != self._rules[1]:
                self._parents = _Parents()
            self._rules, self.leaf, self._beside = (shape, rules), leaf, None
            self.path = [] if leaf is None else branch.path(nodes, leaf, shape=shape, rules=rules)
            self.seen = [] if leaf is None else active.seen(nodes, leaf, shape=shape, rules=rules, way=self.path)
        self._count = len(nodes)

    def _grow(self, nodes: Sequence[Node], leaf: int | None, rules: Dialect) -> bool:
        """Go on from the old leaf to one behind it; False when that is not all there is to do."""
        before = self.leaf
        if before is None or leaf is None or leaf < before:
            return False
        if self._rules[0] != "tree":
            new = self._line(nodes, before, leaf)
        else:
            self._parents.follow(nodes, orphan_roots=rules.orphan_roots)
            new = self._tree(nodes, before, leaf, parallel=rules.parallel)
        if new is None or any(nodes[at].op is not None for at in new):
            return False
        self.path = [*_upto(self.path, before), *new]
        aside = self._rules[0] != "tree"
        visible = (at for at in new if nodes[at].visible and not (aside and nodes[at].sidechain))
        self.seen = [*_upto(self.seen, before), *visible]
        self.leaf = leaf
        return True

    @staticmethod
    def _line(nodes: Sequence[Node], before: int, leaf: int) -> list[int] | None:
        """In a line everything up to the leaf; a line of side entries may turn into an ordinary one at any time."""
        beside = all(node.sidechain for node in nodes[: before + 1])
        return None if beside else list(range(before + 1, leaf + 1))

    def _tree(self, nodes: Sequence[Node], before: int, leaf: int, *, parallel: bool) -> list[int] | None:
        steps: list[int] = []
        while leaf > before:
            steps.append(leaf)
            leaf = self._parents.up[leaf]
        if leaf != before:
            return None
        steps.reverse()
        if not parallel:
            return steps
        if self._beside is None:
            self._beside = _Beside()
            self._beside.take(nodes, self._parents.up, set(_upto(self.path, before)), 0, before)
        return self._beside.take(nodes, self._parents.up, set(steps), before + 1, steps[-1] if steps else before)


class _Parents:
    """The parent of every entry, as `branch.parents` has them, entry by entry."""

    def __init__(self) -> None:
        self.up: list[int] = []
        self._latest: dict[bool, dict[str, int]] = {True: {}, False: {}}
        self._last = {True: NOWHERE, False: NOWHERE}

    def follow(self, nodes: Sequence[Node], *, orphan_roots: bool) -> None:
        for at in range(len(self.up), len(nodes)):
            node = nodes[at]
            above = NOWHERE
            if node.parent_id is not None:
                lost = NOWHERE if orphan_roots else self._last[node.sidechain]
                above = self._latest[node.sidechain].get(node.parent_id, lost)
            self.up.append(above)
            if node.entry_id is not None:
                self._latest[node.sidechain][node.entry_id] = at
                self._last[node.sidechain] = at


class _Beside:
    """Entries of parallel exchanges that hang on a branch sideways; remembers what it knew up to a leaf."""

    def __init__(self) -> None:
        self._members: set[int] = set()
        self._calling: set[int] = set()
        self._made: set[str] = set()

    def take(self, nodes: Sequence[Node], up: Sequence[int], steps: set[int], first: int, leaf: int) -> list[int]:
        """The members among the entries from `first` on, `steps` being those on the branch itself.

        What lies behind the leaf is looked at, as an exchange may end there, but not remembered.
        """
        members, calling, made = self._members, self._calling, self._made
        found: list[int] = []
        for at in range(first, len(nodes)):
            if at == leaf + 1:
                members, calling, made = set(members), set(calling), set(made)
            node, above = nodes[at], up[at]
            beside = at not in steps and above in members
            if at in steps or (beside and branch.sideways(node, made, under_call=above in calling)):
                members.add(at)
                found.append(at)
                if node.calls or (not node.visible and above in calling):
                    calling.add(at)
                made.update(node.calls)
        return found


def _upto(positions: list[int], last: int) -> list[int]:
    """Without the positions behind `last` at the end of a list."""
    end = len(positions)
    while end and positions[end - 1] > last:
        end -= 1
    return positions if end == len(positions) else positions[:end]
