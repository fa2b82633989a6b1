"""Makes a plan of a selection: everything in sending order, and everything that stays out with its reason.

Before it: `plan.planner`, `plan.bounded`. After it: `plan.manifest`.
"""

from collections.abc import Container, Iterable, Sequence

from backstory.plan import placement
from backstory.plan.selection import Selection, tokens
from backstory.plan.sound import Sound
from backstory.plan.tail import Tail
from backstory.records.plan import Excluded, Group, Included, Plan, PlanInput, Supplement

_OUTSIDE = {
    "turn": "older than the newest turns that fit",
    "summary": "no room was left for this summary",
    "prefix": "stands outside the newest turns that fit",
}
_WHAT = {"turn": "history", "summary": "summary", "prefix": "history"}
OLDER = "the older part of a turn that is too long to fit"


def native_plan(given: PlanInput, reason: str) -> Plan:
    """The host's own list, unchanged and with nothing beside it: what is left when nothing can be decided."""
    included = tuple(
        Included("recent", _alone(at), item.tokens, "the host's own list", at) for at, item in enumerate(given.items)
    )
    excluded = tuple(
        Excluded(item.kind, item.id, item.tokens, "nothing is added to the host's own list", 1, (), index)
        for index, item in enumerate(given.supplements)
    )
    return _record(given, "native", included, excluded, reason, Tail([], []))


def finish(given: PlanInput, groups: Sound, draft: Selection, request: int | None, reason: str | None = None) -> Plan:
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
    mode = "managed" if reason is None else "degraded"
    return _record(given, mode, tuple(included), tuple(excluded), reason, draft.tail)


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
        yield Excluded(kind, group.id, tokens(given.items, out), reason, len(out), out)
    for at in group.members:
        if at in gone and at not in sent:
            yield Excluded("history", _alone(at), given.items[at].tokens, gone[at], 1, (at,))


def _refused(offered: Sequence[Supplement], draft: Selection, request: int | None) -> Iterable[Excluded]:
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
    reason: str | None,
    tail: Tail,
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
        rescued=tail.rescued,
        split=tail.split is not None or (reason is not None and any(item.reason == OLDER for item in excluded)),
        oversized=[item.kind for item in excluded if item.tokens >= limit].count("history"),
        reason=reason,
    )


def _names(groups: Sequence[Group], looked_at: Iterable[int]) -> dict[int, str]:
    """The group of each position that was looked at; a native summary is its own."""
    names: dict[int, str] = {}
    for index in looked_at:
        names.update(dict.fromkeys(groups[index].members, groups[index].id))
    return names


def _alone(position: int) -> str:
    return f"group:{position}-{position}"
