"""Finds messages that no provider would take: calls that were never answered, results of calls that are not there.

They cost only themselves and what hangs on them; the rest of their group stays usable. A message with several calls is
unsound as a whole when one of them has no result, and then so are the results of the others.
"""

from collections.abc import Sequence

import msgspec

from backstory.records.plan import Group, Item

UNANSWERED = "a tool call in it was never answered"
ORPHAN = "the tool call that it answers is not here"


def unsound(items: Sequence[Item]) -> dict[int, str]:
    """Positions that must not be sent, with the reason."""
    open_calls: dict[str, int] = {}
    answered: dict[int, set[str]] = {}
    caller: dict[int, list[int]] = {}
    found: dict[int, str] = {}
    for position, item in enumerate(items):
        for call in item.answers:
            at = open_calls.get(call)
            if at is None:
                found[position] = ORPHAN
            else:
                answered[at].add(call)
                caller.setdefault(position, []).append(at)
        if item.calls:
            answered[position] = set()
            open_calls.update(dict.fromkeys(item.calls, position))
    for position, done in answered.items():
        if not done.issuperset(items[position].calls):
            found[position] = UNANSWERED
    return _spread(found, caller)


def without(groups: Sequence[Group], items: Sequence[Item], gone: dict[int, str]) -> list[Group]:
    """The groups without the unsound messages; groups of nothing else disappear."""
    if not gone:
        return list(groups)
    kept = []
    for group in groups:
        members = tuple(position for position in group.members if position not in gone)
        if len(members) == len(group.members):
            kept.append(group)
        elif members:
            tokens = sum(items[position].tokens for position in members)
            kept.append(msgspec.structs.replace(group, members=members, tokens=tokens))
    return kept


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
