"""The bounded plan: what a call holds when the ordinary plan is impossible, in one order that larger calls keep to.

Neighbours: `plan.planner` asks for it and says why, `plan.fallback` keeps the request and the newest turns.
"""

from collections.abc import Sequence

import msgspec

from backstory.plan import fallback, mandatory, outcome, supplements
from backstory.plan.selection import Selected, Selection, summaries, tokens
from backstory.plan.sound import Sound
from backstory.plan.tail import Tail
from backstory.records.plan import Item, Plan, PlanInput

LABELLED = "a label on it says so"
_KEPT = "kept by the bounded plan"
_SHARE = 3  # of what a bounded plan leaves beside the request, supplements get at most this fraction before the steps


class _Held(msgspec.Struct):
    """What a bounded plan holds beside the request: native positions, pins, why other pins are out, tokens left."""

    room: int
    selected: Selected
    pins: list[int]
    refused: dict[int, str]


def bounded(
    given: PlanInput,
    groups: Sound,
    current: Sequence[int],
    marked: Sequence[int],
    request: int | None,
    reason: str,
) -> Plan:
    """The degraded plan: what is `_held`, what `fallback` keeps, and in the rest supplements, then native summaries."""
    items, budget = given.items, given.budget
    held = _held(given, groups, marked, request)
    selected, room = held.selected, held.room
    need = items[request].tokens if request is not None else 0
    kept = supplements.reserved(given.supplements, budget) if request is not None else 0
    spared = min(kept, (room - need) // _SHARE)
    positions = fallback.degraded(items, groups, current, request, fallback.Room(room, spared), selected.why)
    if positions is None:
        return outcome.native_plan(given, reason)
    left = room - tokens(items, [at for at in positions if at not in selected.why])
    chosen, refused = supplements.choose(given.supplements, budget, left) if request is not None else ([], {})
    selected.add(positions, "current", _KEPT)
    summaries(given, selected, left - sum(given.supplements[index].tokens for index in chosen))
    draft = Selection(selected, [*held.pins, *chosen], {**refused, **held.refused}, Tail([], []))
    return outcome.finish(given, groups, draft, request, reason)


def _held(given: PlanInput, groups: Sound, marked: Sequence[int], request: int | None) -> _Held:
    """Leading system messages, the pins, and the steps that a person labelled, in this order.

    The first part that does not fit ends it: so a larger call never loses what a smaller one holds.
    """
    items, budget = given.items, given.budget
    need = items[request].tokens if request is not None else 0
    held = _Held(budget.hard - given.fixed - need, Selected({}), [], {})
    pins = mandatory.pins(given.supplements) if request is not None else []
    pinned = sum(given.supplements[index].tokens for index in pins)
    fits = _hold(held, items, mandatory.leading(items), "system", _KEPT)
    if pinned > budget.pins:
        held.refused = dict.fromkeys(pins, "the pins pass their budget")
    elif fits and pinned <= held.room:
        held.pins, held.room = pins, held.room - pinned
    else:
        fits, held.refused = False, dict.fromkeys(pins, "no room was left in the call")
    for step in fallback.labelled(items, groups, marked, given.pinned, request):
        fits = fits and _hold(held, items, step, "labelled", LABELLED)
    held.room += need
    return held


def _hold(held: _Held, items: Sequence[Item], positions: Sequence[int], kind: str, reason: str) -> bool:
    """Hold some positions if there is room for those that are not held yet."""
    cost = tokens(items, [at for at in positions if at not in held.selected.why])
    if cost > held.room:
        return False
    held.selected.add(positions, kind, reason)
    held.room -= cost
    return True
