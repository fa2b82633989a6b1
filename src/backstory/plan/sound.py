"""Leaves out of a group what no provider would take: calls never answered, results without their call, empty messages.

They cost only themselves and what hangs on them; the rest of their group stays usable. A message with several calls is
unsound as a whole when one of them has no result, and then so are the results of the others. A group holds its tool
exchanges whole, so each group can be judged alone, and only those that a plan considers are.
"""

from collections.abc import Sequence

import msgspec

from backstory.records.plan import Group, Item
from backstory.text.calls import EMPTY, ORPHAN, UNANSWERED

Judged = dict[tuple[int, ...], dict[int, str]]


class Sound:
    """The groups of a plan, each cleaned when it is first looked at; a cleaned group may be empty.

    `gone` are the positions left out so far, with the reason. `judged` is what is unsound among some members: it goes
    from plan to plan of a call, for as long as the calls and answers of its messages are the same.
    """

    def __init__(self, items: Sequence[Item], groups: Sequence[Group], judged: Judged | None = None) -> None:
        self._items = items
        self._groups = groups
        self._judged: Judged = {} if judged is None else judged
        self._clean: dict[int, Group] = {}
        self.gone: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self._groups)

    def __getitem__(self, index: int) -> Group:
        if index not in self._clean:
            self._clean[index] = self._cleaned(self._groups[index])
        return self._clean[index]

    @property
    def looked_at(self) -> frozenset[int]:
        """Indices of the groups cleaned so far."""
        return frozenset(self._clean)

    def _cleaned(self, group: Group) -> Group:
        gone = self._judged.get(group.members)
        if gone is None:
            gone = self._judged[group.members] = unsound(self._items, group.members)
        if not gone:
            return group
        self.gone.update(gone)
        members = tuple(position for position in group.members if position not in gone)
        return msgspec.structs.replace(group, members=members, tokens=sum(self._items[at].tokens for at in members))


def unsound(items: Sequence[Item], positions: Sequence[int]) -> dict[int, str]:
    """Which of these positions must not be sent, with the reason."""
    latest: dict[str, int] = {}
    answered: dict[int, set[str]] = {}
    caller: dict[int, list[int]] = {}
    found: dict[int, str] = {}
    for position in positions:
        item = items[position]
        if item.empty:
            found[position] = EMPTY
        for call in item.answers:
            at = latest.get(call)
            if at is None:
                found[position] = ORPHAN
            else:
                answered[at].add(call)
                caller.setdefault(position, []).append(at)
        if item.calls:
            answered[position] = set()
            latest.update(dict.fromkeys(item.calls, position))
    for position, done in answered.items():
        if not done.issuperset(items[position].calls):
            found[position] = UNANSWERED
    return _spread(found, caller) if found else found


def _spread(found: dict[int, str], caller: dict[int, list[int]]) -> dict[int, str]:
    """Results of unsound calls are orphans too; a result of two calls takes the other call and its results along."""
    answers: dict[int, list[int]] = {}
    for result, calls in caller.items():
        for call in calls:
            answers.setdefault(call, []).append(result)
    pending = list(found)
    while pending:
        position = pending.pop()
        for result in answers.get(position, ()):
            if result not in found:
                found[result] = ORPHAN
                pending.append(result)
        for call in caller.get(position, ()):
            if call not in found:
                found[call] = UNANSWERED
                pending.append(call)
    return found
