"""Finds the groups of entries that reach a model together or not at all.

A tool result belongs to the latest call of its id that stands before it; agents use ids again, so binding is by
occurrence. A result without such a call is an orphan and never binds to a later one. Positions are indices into the
nodes given, which are usually the active context in model order. What must not be sent of a group is for `plan.sound`.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence

from backstory.records.base import Record
from backstory.records.node import Node
from backstory.records.session import Kind

TURN, SUMMARY, PREFIX = "turn", "summary", "prefix"


class EntryGroup(Record, frozen=True):
    """Entries that belong together: their kind (turn, summary or prefix) and ascending positions."""

    kind: str
    members: tuple[int, ...]

    @property
    def id(self) -> str:
        """The group's name within one plan."""
        return f"group:{self.members[0]}-{self.members[-1]}"


class Grouping:
    """The groups of a list of entries that grows at its end.

    A summary stands alone and ends the turn before it, a prompt opens a turn, what comes before any turn is a prefix;
    groups that a tool exchange connects become one.
    """

    def __init__(self) -> None:
        self._kinds: list[str] = []
        self._members: list[list[int]] = []
        self._joined: list[int] = []
        self._owner: list[int] = []
        self._latest: dict[str, int] = {}
        self._open = False
        self._built: list[EntryGroup] = []
        self._roots: list[int] = []
        self._stale = 0

    def take(self, nodes: Iterable[Node]) -> None:
        """Add entries behind those taken before."""
        for node in nodes:
            at = len(self._owner)
            if node.kind == Kind.SUMMARY:
                self._begin(SUMMARY, still_open=False)
            elif node.kind == Kind.PROMPT:
                self._begin(TURN, still_open=True)
            elif not self._open:
                self._begin(PREFIX, still_open=True)
            own = len(self._kinds) - 1
            self._members[own].append(at)
            self._owner.append(own)
            self._stale = min(self._stale, self._root(own))
            if node.call_ids:
                for id_ in node.answers:
                    self._join(id_, own)
                self._latest.update(dict.fromkeys(node.calls, at))

    def groups(self) -> list[EntryGroup]:
        """The groups, ordered by their first entry; every position is in exactly one."""
        parts: dict[int, list[int]] = {}
        for group in range(self._stale, len(self._kinds)):
            root = self._root(group)
            if root >= self._stale:
                parts.setdefault(root, []).append(group)
        end = bisect_left(self._roots, self._stale)
        self._built = [*self._built[:end], *map(self._merged, parts.values())]
        self._roots = [*self._roots[:end], *parts]
        self._stale = len(self._kinds)
        return self._built

    def _begin(self, kind: str, *, still_open: bool) -> None:
        self._kinds.append(kind)
        self._members.append([])
        self._joined.append(len(self._joined))
        self._open = still_open

    def _join(self, call: str, group: int) -> None:
        at = self._latest.get(call)
        if at is not None and self._owner[at] != group:
            first, second = sorted((self._root(self._owner[at]), self._root(group)))
            self._joined[second] = first
            self._stale = min(self._stale, first)

    def _root(self, group: int) -> int:
        joined = self._joined
        while joined[group] != group:
            joined[group] = joined[joined[group]]
            group = joined[group]
        return group

    def _merged(self, part: Sequence[int]) -> EntryGroup:
        if len(part) == 1:
            return EntryGroup(self._kinds[part[0]], tuple(self._members[part[0]]))
        kinds = {self._kinds[group] for group in part}
        kind = TURN if TURN in kinds else SUMMARY if kinds == {SUMMARY} else PREFIX
        return EntryGroup(kind, tuple(at for group in part for at in self._members[group]))


def groups(nodes: Sequence[Node]) -> list[EntryGroup]:
    """The groups of a whole list."""
    found = Grouping()
    found.take(nodes)
    return found.groups()
