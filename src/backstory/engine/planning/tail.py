"""Where the recent tail of a call starts: at its own size, or where it stays for a while and a provider's cache gains.

Before it: `engine.planning.reuse` (how a longer tail fared so far), `plan.cache` (the grid of starts). After it:
`engine.planning.decision`, which decides with the tail.
"""

from collections.abc import Sequence

from backstory.engine.artifacts import condense
from backstory.engine.planning import reuse
from backstory.engine.planning.call import Call, TailBounds
from backstory.plan import cache

_ROUND = 1_024


def first(call: Call) -> TailBounds:
    """How the tail of this call is bounded, as far as the call before it tells; notes whether a longer one may pay."""
    call.gathered.cache = cache.eligible(call.cache_policy, call.known.prices, call.calibration, call.limits)
    if call.gathered.cache.eligible and reuse.epoch(call).adopted:
        return steady(call, call.gathered.cache.tail)
    return nominal(call)


def nominal(call: Call) -> TailBounds:
    """The tail at its own size, whose start moves seldom or with every message."""
    return steady(call, None) if call.gathered.cache.steady else TailBounds()


def steady(call: Call, limit: int | None) -> TailBounds:
    """A tail whose start moves seldom, and what may stay where it is meanwhile.

    The largest tail leaves room for card and excerpts. Its size is rounded, so that what is learnt from each answer
    does not move the start.
    """
    context, limits = call.context, call.limits
    room = min(limit or limits.tail, limits.active - limits.card - limits.excerpts)
    room -= room % _ROUND if room > 2 * _ROUND else 0
    sizes = _sizes(call)
    start = cache.grid_start(sizes, room)
    if not 0 < start < len(context.items):
        return TailBounds(limit)
    held = _held(call, sizes, room, start) if limit is None and call.cache_policy.hold else None
    return TailBounds(limit, context.items[start].entry_id, held)


def _sizes(call: Call) -> list[int]:
    """The tokens of every item whether its message was read or not."""
    options = call.config.artifacts
    return condense.sizes(call.context, options.threshold) if options.enabled else call.context.sizes


def _held(call: Call, sizes: Sequence[int], room: int, start: int) -> int | None:
    """The request that card and excerpts were made for when the tail began to start where it does."""
    context = call.context
    asked = [at for at, item in enumerate(context.items) if item.kind == "prompt" and at < len(sizes)]
    anchor = cache.anchor(sizes, room, asked)
    return anchor if anchor is not None and anchor > start and context.messages[anchor] is not None else None
