"""Decides what a call holds: the pure planner is run, and run again with the evidence that is worth adding.

First it tells which messages will be committed, then what may stand beside them is looked for. Messages that were too
old to be read are read once a plan wants them. Neighbours: `plan` opens the call, `supplements` is what may be added,
`tail` bounds the newest messages, `reuse` says which tail pays with a cache, `gate` checks what may leave.
"""

from collections.abc import Sequence

from backstory.engine import context as contexts
from backstory.engine.artifacts import condense
from backstory.engine.planning import reuse, supplements
from backstory.engine.planning import tail as tails
from backstory.engine.planning.call import Call
from backstory.plan import outcome, overflow, planner
from backstory.records.message import Message, Text
from backstory.records.plan import Group, Item, Plan, PlanInput, Supplement
from backstory.text import hashing


def decided(call: Call) -> tuple[PlanInput, Plan]:
    """What the planner was given at last, and the plan; what is found on the way is in `call.gathered`."""
    call.gate.context(call.context)
    _condense(call)
    if call.request.request:
        _ask(call, call.request.request)
    supplements.kept(call)
    supplements.source(call)
    supplements.earlier(call, _first(call))
    return _final(call, call.gate.supplements(call.gathered.supplements))


def _condense(call: Call, positions: Sequence[int] | None = None) -> None:
    options = call.config.artifacts
    if options.enabled:
        call.gathered.condensed += condense.condense_context(call.context, positions, call.estimator, options.threshold)


def _ask(call: Call, text: str) -> None:
    """Put what the user asks next behind the context."""
    context = call.context
    message = Message("user", (Text(text),))
    item = Item(call.estimator.message(message), "user", kind="prompt", hash=hashing.of_text(text))
    at = len(context.items)
    context.items.append(item)
    context.messages.append(message)
    context.read.append(at)
    context.groups.append(Group("turn", (at,), item.tokens, f"group:{at}-{at}"))
    call.gate.context(context, [at])


def _first(call: Call) -> Plan:
    """The plan that tells which messages are committed; room is kept for evidence only when something stays out."""
    call.gathered.tail = tails.first(call)
    if not _surpassed(call):
        _, alone = _decide(call, call.gathered.supplements)
        compacted = len(call.context.branch) > len(call.context.items)
        if not compacted and not any(item.positions for item in alone.excluded):
            return alone
    options = call.config.context
    wanted = (
        *((Supplement("card", "card", "", call.limits.card, ("x",)),) if options.card else ()),
        *((Supplement("excerpts", "excerpt", "", call.limits.excerpts, ("x",)),) if options.excerpts else ()),
    )
    return _decide(call, [*call.gathered.supplements, *wanted])[1]


def _surpassed(call: Call) -> bool:
    """Whether something stays out in any case, as the newest messages, all of them read, already pass the limit."""
    messages = call.context.messages
    newest = messages[::-1].index(None) if None in messages else len(messages)
    return overflow.certain(_input(call, call.gathered.supplements), newest)


def _final(call: Call, supplements: Sequence[Supplement]) -> tuple[PlanInput, Plan]:
    """The plan of the call; where a longer tail may pay, the cheaper of two over what is to come."""
    report = call.gathered.cache
    if not report.eligible:
        return _decide(call, supplements)
    call.gathered.tail = tails.nominal(call)
    nominal = _decide(call, supplements)
    call.gathered.tail = tails.steady(call, report.tail)
    longer = _decide(call, supplements)
    call.gathered.cache = reuse.weighed(call, nominal[1], longer[1])
    return longer if call.gathered.cache.extended else nominal


def _decide(call: Call, supplements: Sequence[Supplement]) -> tuple[PlanInput, Plan]:
    """A plan all of whose messages were read: missing ones are read, checked and condensed, and it is made again."""
    while True:
        final = _input(call, supplements)
        made = _plan(call, final)
        new = contexts.complete(call.context, made.positions, call.estimator)
        if not new:
            return final, made
        call.gathered.judged.clear()
        call.gate.context(call.context, new)
        _condense(call, new)


def _plan(call: Call, final: PlanInput) -> Plan:
    """The plan, or the agent's own list when planning itself breaks: a caller always has something to send."""
    try:
        return planner.plan(final, call.gathered.judged)
    except Exception as error:  # noqa: BLE001 - no defect of the planner may cost the call
        return outcome.native_plan(final, f"planning failed: {type(error).__name__}")


def _input(call: Call, supplements: Sequence[Supplement]) -> PlanInput:
    return PlanInput(
        items=tuple(call.context.items),
        groups=tuple(call.context.groups),
        budget=call.limits,
        supplements=tuple(supplements),
        fixed=call.request.fixed,
        pinned=call.context.pinned,
        placement=call.placement,
        rescue=call.config.context.rescue,
        tail=call.gathered.tail.limit,
        keep_from=call.gathered.tail.start,
        anchor=call.gathered.tail.anchor,
    )
