"""Tells before any plan that something will stay out of it, so that no plan has to be made to see that.

It may say no although something stays out, never yes although nothing does. Neighbours: `plan.planner` decides what
stays out, `engine.planning.decision` asks whether room for evidence will be wanted.
"""

from backstory.plan import mandatory
from backstory.records.plan import PlanInput
from backstory.records.session import Kind

_SUMMARY = str(Kind.SUMMARY)


def certain(given: PlanInput, newest: int) -> bool:
    """Whether the `newest` messages, of which each has its true size, already pass the limit of the call.

    That is the limit of an ordinary plan, where the current turn and the pins leave one: the tail is bounded there, but
    for the turn before the request.
    """
    items, limits = given.items, given.budget
    asked = mandatory.request_at(items) or 0
    target = min(limits.active, limits.hard)
    pinned = sum([one.tokens for one in given.supplements if one.kind == "pin"])
    must = sum([item.tokens for item in (*items[asked:], *(items[at] for at in mandatory.leading(items)))])
    bounded = bool(given.pinned) or pinned > limits.pins or given.fixed + pinned + must > target
    turns = (group.tokens for group in reversed(given.groups) if group.members[-1] < asked and group.kind != "summary")
    tail = max(must, given.tail or limits.tail) + next(turns, 0)
    size = sum([item.tokens for item in items[len(items) - newest :] if item.kind != _SUMMARY])
    return size > (limits.hard - given.fixed if bounded else min(tail, target - given.fixed))
