"""The planner: decides which messages of a session, and which supplements, one model call gets. Pure and total.

The order of decisions: what must be there, the contiguous recent tail, supplements by category, native summaries with
what is left; then a check of the whole. What cannot be planned is degraded to a bounded plan, with its reason.
Before it: `dialogue` (groups), `plan.budget`, retrieval and memory (supplements). After it: `plan.manifest`.
"""

from collections.abc import Container, Iterable, Sequence

import msgspec

from backstory.plan import fallback, mandatory, placement, supplements, tail, validate
from backstory.plan.sound import Judged, Sound
from backstory.records.plan import Excluded, Group, Included, Item, Plan, PlanInput, Supplement

_OUTSIDE = {
    "turn": "older than the newest turns that fit",
    "summary": "no room was left for this summary",
    "prefix": "stands outside the newest turns that fit",
}
_WHAT = {"turn": "history", "summary": "summary", "prefix": "history"}
_BOUNDED = "kept by the bounded plan"
_LABELLED = "a label on it says so"
OLDER = "the older part of a turn that is too long to fit"
_SHARE = 3  # of what a bounded plan leaves beside the request, supplements get at most this fraction before the steps


class _Selected(msgspec.Struct):
    """The positions that are in, each with its kind and why it is."""

    why: dict[int, tuple[str, str]] = {}

    def add(self, positions: Iterable[int], kind: str, reason: str) -> None:
        """Let these positions be in; what is in already stays what it is."""
        known, because = self.why.setdefault, (kind, reason)
        for position in positions:
            known(position, because)


class _Draft(msgspec.Struct):
    """A plan in the making: native positions, and indices of supplements."""

    selected: _Selected
    chosen: list[int]
    refused: dict[int, str]
    tail: tail.Tail


def plan(given: PlanInput, judged: Judged | None = None) -> Plan:
    """The plan of one call. The same input always gives the same plan; nothing is raised for any history.

    `judged` goes from one plan of the same messages to the next, see `Sound`.
    """
    items = given.items
    groups = Sound(items, given.groups, judged)
    request = mandatory.request_at(items)
    current = mandatory.current(given.groups, request)
    marked = mandatory.labelled(given.groups, given.pinned)
    reason = _impossible(given, groups, {*current, *marked})
    if reason is None:
        draft = _select(given, groups, current, marked, request)
        result = _finish(given, groups, draft, request)
        total, positions = given.fixed + result.tokens, result.positions
        reason = validate.problem(items, positions, request, total, given.budget.hard)
        if reason is None:
            return result if positions or not items else native_plan(given, "no message can be sent by itself")
    return _bounded(given, groups, current, marked, request, reason)


def native_plan(given: PlanInput, reason: str) -> Plan:
    """The host's own list, unchanged: what is left when nothing can be decided."""
    included = tuple(
        Included("recent", _alone(at), item.tokens, "the host's own list", at) for at, item in enumerate(given.items)
    )
    return _record(given, "native", included, (), reason=reason)


def _impossible(given: PlanInput, groups: Sound, required: Iterable[int]) -> str | None:
    """Why no ordinary plan exists, None when there may be one."""
    budget, pins = given.budget, mandatory.pins(given.supplements)
    if given.fixed > budget.hard:
        return "the system prompt and the tools alone pass the hard limit"
    pinned = sum(given.supplements[index].tokens for index in pins)
    if pinned > budget.pins:
        return "the pins pass their budget"
    must = sum(groups[index].tokens for index in required)
    if given.fixed + pinned + must > budget.hard:
        return "the current turn and what is pinned pass the hard limit"
    return None


def _select(
    given: PlanInput, groups: Sound, current: Sequence[int], marked: Sequence[int], request: int | None
) -> _Draft:
    items, budget = given.items, given.budget
    selected = _Selected()
    pins = mandatory.pins(given.supplements) if request is not None else []
    selected.add(mandatory.leading(items), "system", "it leads the conversation")
    for index in current:
        selected.add(groups[index].members, "current", "the current request and what followed it")
    used = _tokens(items, selected.why)
    for index in marked:
        selected.add(groups[index].members, "labelled", _LABELLED)
    pinned = sum(given.supplements[index].tokens for index in pins)
    must = pinned + _tokens(items, selected.why)
    target = max(0, min(budget.active, budget.hard) - given.fixed)
    reserve = supplements.reserved(given.supplements, budget) if request is not None else 0
    limit = given.tail if given.tail is not None else budget.tail
    extra = must - used
    space = tail.Space(used, limit, target - reserve - extra, given.rescue, _floor(given))
    recent = tail.fit(items, groups, frozenset(marked), min(current, default=0), space)
    for index in recent.groups:
        selected.add(groups[index].members, "recent", "one of the newest turns that fit")
    selected.add(recent.partial, "recent", "the newest part of a turn that is too long to fit")
    left = target - must - recent.tokens
    chosen, refused = supplements.choose(given.supplements, budget, left) if request is not None else ([], {})
    left -= sum(given.supplements[index].tokens for index in chosen)
    _summaries(given, selected, left)
    return _Draft(selected, [*pins, *chosen], refused, recent)


def _summaries(given: PlanInput, selected: _Selected, left: int) -> None:
    """Adds native summaries, newest first, under their budget and what is left of the call."""
    allowed = given.budget.summaries
    for group in reversed(given.groups):
        if group.kind == "summary" and group.members[0] not in selected.why and group.tokens <= min(allowed, left):
            selected.add(group.members, "summary", "a summary of what came before")
            allowed -= group.tokens
            left -= group.tokens


def _finish(given: PlanInput, groups: Sound, draft: _Draft, request: int | None, reason: str | None = None) -> Plan:
    """Put the selection into sending order and name everything that stays out; with a reason it is a degraded one."""
    why, items = draft.selected.why, given.items
    native = sorted(why)
    lead = sum(1 for position in native if why[position][0] == "system")
    pairs = [(index, given.supplements[index]) for index in draft.chosen]
    names = _names(given.groups, groups.looked_at)
    included = []
    for position, index in placement.arrange(native, lead, request, pairs, given.placement, given.anchor):
        if position is not None:
            (kind, because), tokens = why[position], items[position].tokens
            group = names.get(position) or _alone(position)
            included.append(Included(kind, group, tokens, because, position))
        elif index is not None:
            item = given.supplements[index]
            included.append(Included(item.kind, item.id, item.tokens, item.reason, supplement=index))
    excluded = [*_left_out(given, groups, why), *_refused(given.supplements, draft, request)]
    return _record(
        given,
        "managed" if reason is None else "degraded",
        tuple(included),
        tuple(excluded),
        rescued=draft.tail.rescued,
        split=draft.tail.split is not None or (reason is not None and any(item.reason == OLDER for item in excluded)),
        reason=reason,
    )


class _Held(msgspec.Struct):
    """What a bounded plan holds beside the request: native positions, pins, why other pins are out, tokens left."""

    room: int
    selected: _Selected
    pins: list[int]
    refused: dict[int, str]


def _held(given: PlanInput, groups: Sound, marked: Sequence[int], request: int | None) -> _Held:
    """Leading system messages, the pins, and the steps that a person labelled, in this order.

    The first part that does not fit ends it: so a larger call never loses what a smaller one holds.
    """
    items, budget = given.items, given.budget
    need = items[request].tokens if request is not None else 0
    held = _Held(budget.hard - given.fixed - need, _Selected({}), [], {})
    pins = mandatory.pins(given.supplements) if request is not None else []
    pinned = sum(given.supplements[index].tokens for index in pins)
    fits = _hold(held, items, mandatory.leading(items), "system", _BOUNDED)
    if pinned > budget.pins:
        held.refused = dict.fromkeys(pins, "the pins pass their budget")
    elif fits and pinned <= held.room:
        held.pins, held.room = pins, held.room - pinned
    else:
        fits, held.refused = False, dict.fromkeys(pins, "no room was left in the call")
    for step in fallback.labelled(items, groups, marked, given.pinned, request):
        fits = fits and _hold(held, items, step, "labelled", _LABELLED)
    held.room += need
    return held


def _hold(held: _Held, items: Sequence[Item], positions: Sequence[int], kind: str, reason: str) -> bool:
    """Hold some positions if there is room for them."""
    cost = _tokens(items, positions)
    if cost > held.room:
        return False
    held.selected.add(positions, kind, reason)
    held.room -= cost
    return True


def _bounded(
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
    positions = fallback.degraded(items, groups, current, request, room, selected.why, spared)
    if positions is None:
        return native_plan(given, reason)
    left = room - _tokens(items, [at for at in positions if at not in selected.why])
    chosen, refused = supplements.choose(given.supplements, budget, left) if request is not None else ([], {})
    selected.add(positions, "current", _BOUNDED)
    _summaries(given, selected, left - sum(given.supplements[index].tokens for index in chosen))
    draft = _Draft(selected, [*held.pins, *chosen], {**refused, **held.refused}, tail.Tail([], []))
    return _finish(given, groups, draft, request, reason)


def _left_out(given: PlanInput, groups: Sound, sent: Container[int]) -> list[Excluded]:
    """Groups that stay out, older parts of those that are in, and single messages that cannot be sent."""
    touched, all_groups = groups.looked_at, given.groups
    selected = {index for index, group in enumerate(all_groups) if group.members[0] in sent}
    found: list[Excluded] = []
    done = 0
    for index in sorted(touched | selected):
        found += _whole(all_groups[done:index])
        found += _parts_left_out(given, groups.gone, all_groups[index], sent)
        done = index + 1
    found += _whole(all_groups[done:])
    return found


def _whole(groups: Sequence[Group]) -> list[Excluded]:
    """Groups that stay out as a whole: one expression, as a long history has thousands."""
    return [
        Excluded(_WHAT[kind := group.kind], group.id, group.tokens, _OUTSIDE[kind], len(at := group.members), at)
        for group in groups
    ]


def _parts_left_out(given: PlanInput, gone: dict[int, str], group: Group, sent: Container[int]) -> Iterable[Excluded]:
    kind = "summary" if group.kind == "summary" else "history"
    out = tuple(at for at in group.members if at not in sent and at not in gone)
    if out:
        reason = _OUTSIDE[group.kind] if len(out) == len(group.members) else OLDER
        yield Excluded(kind, group.id, _tokens(given.items, out), reason, len(out), out)
    for at in group.members:
        if at in gone and at not in sent:
            yield Excluded("history", _alone(at), given.items[at].tokens, gone[at], 1, (at,))


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
        original_tokens=sum([group.tokens for group in given.groups]),
        original_messages=len(given.items),
        rescued=rescued,
        split=split,
        oversized=[item.kind for item in excluded if item.tokens >= limit].count("history"),
        reason=reason,
    )


def _floor(given: PlanInput) -> int:
    """The position that the tail must not reach past, so that a provider's prefix cache stays valid; 0 for none."""
    if given.keep_from is None:
        return 0
    return next((at for at, item in enumerate(given.items) if item.entry_id == given.keep_from), 0)


def _names(groups: Sequence[Group], looked_at: Iterable[int]) -> dict[int, str]:
    """The group of each position that was looked at; a native summary is its own."""
    names: dict[int, str] = {}
    for index in looked_at:
        names.update(dict.fromkeys(groups[index].members, groups[index].id))
    return names


def _alone(position: int) -> str:
    return f"group:{position}-{position}"


def _tokens(items: Sequence[Item], positions: Iterable[int]) -> int:
    return sum(items[position].tokens for position in positions)
