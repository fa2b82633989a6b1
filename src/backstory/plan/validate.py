"""Checks a selection before it is sent, whoever made it: tool exchanges whole, the request there, the limit kept."""

from collections.abc import Sequence

from backstory.records.plan import Item


def problem(items: Sequence[Item], positions: Sequence[int], request: int | None, total: int, hard: int) -> str | None:
    """Why a selection must not be sent, None when it may. `total` includes the fixed tokens."""
    selected = set(positions)
    if request is not None and request not in selected:
        return "the current request was not selected"
    if total > hard:
        return f"{total} tokens are more than the hard limit of {hard}"
    latest: dict[str, int] = {}
    waiting: dict[int, set[str]] = {}
    for position in positions:
        calls, answers = items[position].calls, items[position].answers
        for call in answers:
            if call not in latest:
                return f"the result at {position} lost its call"
            waiting[latest[call]].difference_update(answers)
        if calls:
            latest.update(dict.fromkeys(calls, position))
            waiting[position] = set(calls)
    lost = next((position for position, calls in waiting.items() if calls), None)
    return None if lost is None else f"a call at {lost} lost its result"
