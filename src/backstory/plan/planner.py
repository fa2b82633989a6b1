"""The planner: decides which messages of a session, and which supplements, one model call gets. Pure and total.

The order of decisions: what must be there, the contiguous recent tail, supplements by category, native summaries with
what is left; then a check of the whole. What cannot be planned is degraded to a bounded plan, with its reason.
Before it: `dialogue` (groups), `plan.budget`, retrieval and memory (supplements). After it: `plan.outcome`, or
`plan.bounded`.
"""

from collections.abc import Iterable, Sequence

from backstory.plan import mandatory, outcome, supplements, tail, validate
from backstory.plan.bounded import LABELLED, bounded
from backstory.plan.selection import Selected, Selection, summaries, tokens
from backstory.plan.sound import Judged, Sound
from backstory.records.plan import Plan, PlanInput


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
        result = outcome.finish(given, groups, draft, request)
        total, positions = given.fixed + result.tokens, result.positions
        reason = validate.problem(items, positions, request, total, given.budget.hard)
        if reason is None:
            return result if positions or not items else outcome.native_plan(given, "no message can be sent by itself")
    return bounded(given, groups, current, marked, request, reason)


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
) -> Selection:
    items, budget = given.items, given.budget
    selected = Selected()
    pins = mandatory.pins(given.supplements) if request is not None else []
    selected.add(mandatory.leading(items), "system", "it leads the conversation")
    for index in current:
        selected.add(groups[index].members, "current", "the current request and what followed it")
    used = tokens(items, selected.why)
    for index in marked:
        selected.add(groups[index].members, "labelled", LABELLED)
    pinned = sum(given.supplements[index].tokens for index in pins)
    must = pinned + tokens(items, selected.why)
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
    summaries(given, selected, left)
    return Selection(selected, [*pins, *chosen], refused, recent)


def _floor(given: PlanInput) -> int:
    """The position that the tail must not reach past, so that a provider's prefix cache stays valid; 0 for none."""
    if given.keep_from is None:
        return 0
    return next((at for at, item in enumerate(given.items) if item.entry_id == given.keep_from), 0)
