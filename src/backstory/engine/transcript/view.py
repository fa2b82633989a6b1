"""What a call sees, in model order, as far as it can be told without reading a message: items by size, and groups.

Grows with the list it is shown as long as that only grows. Before it: `engine.transcript.session`; after it:
`engine.context`.
"""

from collections.abc import Callable, Sequence

from backstory.dialogue.groups import EntryGroup, Grouping
from backstory.records.located import Located
from backstory.records.plan import Group, Item
from backstory.records.session import Kind
from backstory.text.tokens import BLOCK_TOKENS, MESSAGE_TOKENS, UNITS_PER_TOKEN

_ROLE = 2


class View:
    """`items` stand for the entries shown, at the sizes that the index knows; `always` are read whatever their age.

    `opening` are the places of entries that open or end a group.
    """

    def __init__(self) -> None:
        self._clear()

    def _clear(self) -> None:
        self.items: list[Item] = []
        self.sizes: list[int] = []
        self.always: list[int] = []
        self.opening: set[int] = set()
        self._keys: list[int] = []
        self._grouping = Grouping()
        self._members: list[EntryGroup] = []
        self._groups: list[Group] = []

    def show(self, keys: list[int], entry: Callable[[int], Located]) -> None:
        """Show entries, each by a number that stands for nothing else."""
        known = len(self._keys)
        if keys[:known] != self._keys:
            self._clear()
            known = 0
        new = [entry(key) for key in keys[known:]]
        if new:
            for at, shown in enumerate(new, known):
                self.items.append(bare(shown))
                self.sizes.append(self.items[-1].tokens)
                if shown.kind == Kind.SUMMARY or shown.role == "system":
                    self.always.append(at)
                if shown.kind in {Kind.SUMMARY, Kind.PROMPT}:
                    self.opening.add(at)
            self._grouping.take(new)
        self._keys = keys

    def groups(self) -> list[Group]:
        """The groups of all that is shown, at the sizes of `items`."""
        members = self._grouping.groups()
        if members is not self._members:
            same = 0
            for before, now in zip(self._members, members, strict=False):
                if before is not now:
                    break
                same += 1
            self._groups = [*self._groups[:same], *(sized(group, self.items) for group in members[same:])]
            self._members = members
        return self._groups


def sized(group: EntryGroup, items: Sequence[Item]) -> Group:
    """A group with the tokens of its members."""
    return Group(group.kind, group.members, sum([items[at].tokens for at in group.members]), group.id)


def bare(entry: Located) -> Item:
    """An entry as an item, by the characters that the index counted."""
    return Item(
        MESSAGE_TOKENS + BLOCK_TOKENS + _ROLE - (-entry.chars // UNITS_PER_TOKEN),
        entry.role or "user",
        entry.entry_id,
        entry.seq,
        str(entry.kind),
        entry.calls,
        entry.answers,
        hash=entry.hash.hex(),
    )
