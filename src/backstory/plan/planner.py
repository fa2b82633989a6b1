"""The planner: decides which messages of a session, and which supplements, one model call gets. Pure and total.

The order of decisions: what must be there, the contiguous recent tail, supplements by category, native summaries with
what is left; then a check of the whole. What cannot be planned is degraded to a bounded plan, with its reason.
Before it: `dialogue` (groups), `plan.budget`, retrieval and memory (supplements). After it: `plan.manifest`.
"""

from collections.abc import Iterable, Sequence

import msgspec

from backstory.plan import fallback, mandatory, place, sound, supplements, tail, validate
from backstory.plan.priority import score
from backstory.records.plan import Excluded, Group, Included, Item, Plan, PlanInput, Supplement

_OUTSIDE = {
    "turn": "older than the recent tail",
    "summary": "the summary budget or the input budget is used up",
    "prefix": "belongs to no turn of the recent tail",
}


class _Draft(msgspec.Struct):
    """A plan in the making: native positions with their kind, and indices of supplements."""

    kinds: dict[int, str]
    reasons: dict[int, str]
    chosen: list[int]
    refused: dict[int, str]
    tail: tail.Tail


def plan(given: PlanInput) -> Plan:
    """The plan of one call. The same input always gives the same plan; nothing is raised for any history."""
    items = given.items
    gone = sound.unsound(items)
    groups = sound.without(given.groups, items, gone)
    request = mandatory.request_at(items)
    if request in gone:
        request = None
    current = mandatory.current(groups, request)
    reason, room = _impossible(given, groups, current), given.budget.hard - given.fixed
    if reason is None:
        draft = _select(given, groups, current, request)
        result = _finish(given, groups, draft, request, gone)
        native = result.positions
        reason = validate.problem(items, native, request, given.fixed + result.tokens, given.budget.hard)
        if reason is None:
            return result
    positions = fallback.degraded(items, groups, current, request, room)
    if positions is None:
        return native_plan(given, reason)
    return _bounded(given, groups, positions, gone, reason)


def native_plan(given: PlanInput, reason: str) -> Plan:
    """The host's own list, unchanged: what is left when nothing can be decided."""
    count = len(given.items)
    included = tuple(
        Included("recent", f"group:{at}-{at}", item.tokens, "the host's own list", score("recent", at, count), at)
        for at, item in enumerate(given.items)
    )
    return _record(given, "native", included, (), reason=reason)


def _impossible(given: PlanInput, groups: Sequence[Group], current: Sequence[int]) -> str | None:
    """Why no ordinary plan exists, None when there may be one."""
    budget, pins = given.budget, mandatory.pins(given.supplements)
    if given.fixed > budget.hard:
        return "the system prompt and the tools alone pass the hard limit"
    pinned = sum(given.supplements[index].tokens for index in pins)
    if pinned > budget.pins:
        return "the pins pass their budget"
    must = sum(groups[index].tokens for index in set(current) | set(mandatory.labelled(groups, given.items)))
    if given.fixed + pinned + must > budget.hard:
        return "the current turn and what is pinned pass the hard limit"
    return None


def _select(given: PlanInput, groups: Sequence[Group], current: Sequence[int], request: int | None) -> _Draft:
    items, budget = given.items, given.budget
    kinds: dict[int, str] = {}
    reasons: dict[int, str] = {}
    pins = mandatory.pins(given.supplements) if request is not None else []
    _add(kinds, reasons, mandatory.leading(items), "system", "it leads the conversation")
    for index in current:
        _add(kinds, reasons, groups[index].members, "current", "the current request and what followed it")
    used = _tokens(items, kinds)
    marked = mandatory.labelled(groups, items)
    for index in marked:
        _add(kinds, reasons, groups[index].members, "labelled", "a label on it says so")
    pinned = sum(given.supplements[index].tokens for index in pins)
    selected = pinned + _tokens(items, kinds)
    target = max(0, min(budget.active, budget.hard) - given.fixed)
    reserve = supplements.reserved(given.supplements, budget) if request is not None else 0
    limit = given.tail if given.tail is not None else budget.tail
    extra = selected - used
    space = tail.Space(used, limit, target - reserve - extra, given.rescue, _floor(given))
    recent = tail.fit(items, groups, frozenset(marked), min(current, default=0), space)
    for index in recent.groups:
        _add(kinds, reasons, groups[index].members, "recent", "part of the recent tail")
    _add(kinds, reasons, recent.partial, "recent", "the newest steps of a turn that does not fit")
    left = target - selected - recent.tokens
    chosen, refused = supplements.choose(given.supplements, budget, left) if request is not None else ([], {})
    left -= sum(given.supplements[index].tokens for index in chosen)
    _summaries(given, groups, kinds, reasons, left)
    return _Draft(kinds, reasons, [*pins, *chosen], refused, recent)


def _summaries(
    given: PlanInput, groups: Sequence[Group], kinds: dict[int, str], reasons: dict[int, str], left: int
) -> None:
    """Native summaries, newest first, under their budget and what is left of the call."""
    allowed = given.budget.summaries
    for group in reversed(groups):
        if group.kind == "summary" and group.members[0] not in kinds and group.tokens <= min(allowed, left):
            _add(kinds, reasons, group.members, "summary", "a summary of what came before")
            allowed -= group.tokens
            left -= group.tokens


def _finish(
    given: PlanInput, groups: Sequence[Group], draft: _Draft, request: int | None, gone: dict[int, str]
) -> Plan:
    """Put the selection into sending order and name everything that stays out."""
    native = sorted(draft.kinds)
    lead = sum(1 for position in native if draft.kinds[position] == "system")
    pairs = [(index, given.supplements[index]) for index in draft.chosen]
    names = _names(groups)
    count = len(given.items)
    included = []
    for position, index in place.arrange(native, lead, request, pairs, given.placement):
        if position is not None:
            kind = draft.kinds[position]
            group = names.get(position, f"group:{position}-{position}")
            tokens = given.items[position].tokens
            included.append(
                Included(kind, group, tokens, draft.reasons[position], score(kind, position, count), position)
            )
        elif index is not None:
            item = given.supplements[index]
            included.append(Included(item.kind, item.id, item.tokens, item.reason, item.score, supplement=index))
    excluded = [*_left_out(given, groups, draft.kinds, gone), *_refused(given.supplements, draft, request)]
    return _record(
        given,
        "managed",
        tuple(included),
        tuple(excluded),
        rescued=draft.tail.rescued,
        split=draft.tail.split is not None,
    )


def _bounded(
    given: PlanInput, groups: Sequence[Group], positions: Sequence[int], gone: dict[int, str], reason: str
) -> Plan:
    """The degraded plan as a record."""
    names, why = _names(groups), "kept by the bounded plan"
    count = len(given.items)
    included = tuple(
        Included("current", names[at], given.items[at].tokens, why, score("current", at, count), at) for at in positions
    )
    nothing = _Draft({}, {}, [], {}, tail.Tail([], []))
    kinds = dict.fromkeys(positions, "current")
    excluded = [*_left_out(given, groups, kinds, gone), *_refused(given.supplements, nothing, None)]
    return _record(given, "degraded", included, tuple(excluded), reason=reason)


def _left_out(
    given: PlanInput, groups: Sequence[Group], kinds: dict[int, str], gone: dict[int, str]
) -> Iterable[Excluded]:
    for group in groups:
        out = tuple(position for position in group.members if position not in kinds)
        if not out:
            continue
        whole = len(out) == len(group.members)
        tokens = group.tokens if whole else sum(given.items[position].tokens for position in out)
        reason = _OUTSIDE.get(group.kind, _OUTSIDE["turn"]) if whole else "the older part of a turn that does not fit"
        yield Excluded("summary" if group.kind == "summary" else "history", group.id, tokens, reason, len(out), out)
    for position, why in gone.items():
        yield Excluded("history", f"group:{position}-{position}", given.items[position].tokens, why, 1, (position,))


def _refused(offered: Sequence[Supplement], draft: _Draft, request: int | None) -> Iterable[Excluded]:
    chosen = set(draft.chosen)
    default = "there is no request to put it before" if request is None else "it names no source"
    for index, item in enumerate(offered):
        if index not in chosen:
            yield Excluded(item.kind, item.id, item.tokens, draft.refused.get(index, default), 1, (), index)


def _record(
    given: PlanInput,
    mode: str,
    included: tuple[Included, ...],
    excluded: tuple[Excluded, ...],
    *,
    rescued: bool = False,
    split: bool = False,
    reason: str | None = None,
) -> Plan:
    limit = given.tail if given.tail is not None else given.budget.tail
    return Plan(
        mode=mode,
        included=included,
        excluded=excluded,
        tokens=sum(item.tokens for item in included),
        fixed=given.fixed,
        hard=given.budget.hard,
        target=given.budget.active,
        tail=limit,
        original_tokens=sum(item.tokens for item in given.items),
        original_messages=len(given.items),
        rescued=rescued,
        split=split,
        oversized=sum(1 for item in excluded if item.kind == "history" and item.tokens >= limit),
        reason=reason,
    )


def _floor(given: PlanInput) -> int:
    """The position that the tail must not reach past, so that a provider's prefix cache stays valid; 0 for none."""
    if given.keep_from is None:
        return 0
    return next((at for at, item in enumerate(given.items) if item.entry_id == given.keep_from), 0)


def _names(groups: Sequence[Group]) -> dict[int, str]:
    return {position: group.id for group in groups for position in group.members}


def _tokens(items: Sequence[Item], positions: Iterable[int]) -> int:
    return sum(items[position].tokens for position in positions)


def _add(kinds: dict[int, str], reasons: dict[int, str], positions: Iterable[int], kind: str, reason: str) -> None:
    for position in positions:
        if position not in kinds:
            kinds[position] = kind
            reasons[position] = reason
