"""What a provider's cache makes of a call: what it still holds of it, what that costs, and whether a longer tail pays.

Only the call planned before in the same session is looked at, as it was left in its manifest: the last one that this
engine planned, as another host in the session may use another model or stand on another branch. The sums are those of
`plan.cache`. Neighbours: `engine.planning.decision` asks which tail pays, `engine.planning.manifest` puts the report
into the manifest.
"""

import msgspec

from backstory.engine.planning.call import Call
from backstory.plan import cache
from backstory.records.manifest import Manifest, ModelSwitch, Trace
from backstory.records.plan import CacheReport, CacheState, Plan
from backstory.store import manifests as stored


def previous(call: Call) -> Trace | None:
    """What is left of the call that was planned before this one in the session.

    Most calls ask only when their manifest is made, after the answer: it must be kept before the next one is planned.
    """
    if call.gathered.before is msgspec.UNSET:
        call.gathered.before = _previous(call)
    return call.gathered.before


def _previous(call: Call) -> Trace | None:
    unsaved, history, session = call.engine.unsaved, call.engine.history, call.context.session
    own = unsaved.newest(session)
    passing = unsaved.get(own) if own is not None else None
    if passing is not None:
        return msgspec.convert(passing, Trace, from_attributes=True)
    return (stored.trace(history, own) if own is not None else None) or stored.newest(history, session)


def epoch(call: Call) -> CacheState:
    """How the longer tail fared so far on this branch."""
    before = previous(call)
    if before is None or before.cache is None or before.leaf not in call.context.branch_ids:
        return CacheState()
    return CacheState(before.cache.extended, before.cache.losses)


def weighed(call: Call, nominal: Plan, longer: Plan) -> CacheReport:
    """The report on a tail that may be longer: whether it is used from now on."""
    state = cache.extend(call.cache_policy, epoch(call), _costs(call, nominal), _costs(call, longer))
    candidate = "cache-aware" if state.adopted else "nominal"
    return msgspec.structs.replace(
        call.gathered.cache, extended=state.adopted, losses=state.losses, candidate=candidate
    )


def report(call: Call, made: Manifest) -> CacheReport:
    """What a provider's cache may hold of this call since the one planned before it, and what the call then costs."""
    reusable, before = 0, previous(call)
    if before is not None and not switch(call).switched:
        prefix = cache.common([line.hash for line in before.included], [line.hash for line in made.included])
        # What a host sends before the messages, its system prompt and tools, stays as it is within a session.
        reusable = call.request.fixed + sum(line.tokens for line in made.included[:prefix])
    prices, total = call.known.prices, made.estimated_input
    as_new = reusable > 0 and prices.cache_read is None and prices.input is not None
    if as_new:
        prices = msgspec.structs.replace(prices, cache_read=prices.input)
    new, cached = cache.cost(prices, total - reusable, 0), cache.cost(prices, reusable, reusable)
    known = (new, cached, round(new + cached, 6)) if new is not None and cached is not None else (None, None, None)
    return msgspec.structs.replace(
        call.gathered.cache,
        mode=call.cache_policy.mode,
        tail=made.planning.tail_limit,
        reusable=reusable,
        new=known[0],
        cached=known[1],
        cost=known[2],
        as_new=as_new,
    )


def switch(call: Call) -> ModelSwitch:
    """Whether the model is another one than that of the call before: then nothing of it is in a cache."""
    before, now = previous(call), f"{call.known.provider}/{call.known.model}"
    reused, source = call.calibration.observed > 0, call.terms.switch or "context"
    if before is None:
        return ModelSwitch(source, switched=False, reused=reused)
    earlier = f"{before.provider}/{before.model}"
    switched = earlier != now
    disposition = "cold-model-switch" if switched else "eligible"
    return ModelSwitch(source, switched, earlier, reused, disposition)


def _costs(call: Call, plan: Plan) -> tuple[float, float]:
    """What a call costs that reuses nothing, and one that reuses all but its newest message."""
    total = plan.fixed + plan.tokens
    newest = plan.included[-1].tokens if plan.included else 0
    prices = call.known.prices
    return cache.cost(prices, total, 0) or 0.0, cache.cost(prices, total, total - newest) or 0.0
