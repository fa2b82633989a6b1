"""Checks a selection before it is sent, whoever made it: tool exchanges whole, the request there, the limit kept."""

from collections.abc import Sequence

from backstory.plan.steps import bind
from backstory.records.plan import Item

_NONE = frozenset[str]()


def problem(items: Sequence[Item], positions: Sequence[int], request: int | None, total: int, hard: int) -> str | None:
    """Why a selection must not be sent, None when it may. `total` includes the fixed tokens."""
    selected = set(positions)
    if request is not None and request not in selected:
        return "the current request was not selected"
    if total > hard:
        return f"{total} tokens are more than the hard limit of {hard}"
    answered: dict[int, set[str]] = {}
    for result, calls in bind(items, positions).items():
        if len(calls) < len(items[result].answers):
            return f"the result at {result} lost its call"
        for call in calls:
            answered.setdefault(call, set()).update(items[result].answers)
    for position in positions:
        made = items[position].calls
        if made and not answered.get(position, _NONE).issuperset(made):
            return f"a call at {position} lost its result"
    return None
