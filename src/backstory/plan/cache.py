"""Sizes the tail so that a provider's prefix cache stays useful, and says what a call can reuse and costs.

A tail that slides with every turn changes the beginning of the prompt, and a provider that bills cached input at a
fraction then bills all of it in full. Where prices and observed cache use show that this matters, the tail may grow to
a share of the budget and keeps its start until it no longer fits: it is cut back rarely instead of every turn. Numbers
only come from the host's prices and its counted usage.
"""

import math
from collections.abc import Sequence

from backstory.records.budget import Budget, Calibration, Prices
from backstory.records.plan import CachePolicy, CacheReport, CacheState

GRID = 4
MODES = ("off", "steady", "auto")


def eligible(policy: CachePolicy, prices: Prices, calibration: Calibration, budget: Budget) -> CacheReport:
    """Whether the start of the tail moves seldom, and whether a longer tail is worth considering; `tail` is its limit.

    `reasons` speak against the longer one.
    """
    if policy.mode != "auto":
        return CacheReport(policy.mode, policy.mode == "steady", tail=budget.tail, reasons=(policy.mode,))
    ratio = _ratio(prices)
    share, samples = calibration.read_share, calibration.cache_samples
    against = [
        *(["cache-pricing-incomplete"] if ratio is None else []),
        *([f"ratio-too-low:{ratio:.2f}"] if ratio is not None and ratio < policy.minimum_ratio else []),
        *(["cache-share-unobserved"] if share is None else []),
        *([f"share-too-low:{share:.4f}"] if share is not None and share < policy.minimum_read_share else []),
        *([f"insufficient-samples:{samples}"] if samples < policy.minimum_samples else []),
    ]
    extended = max(budget.tail, math.floor(budget.active * policy.budget_share))
    return CacheReport(
        mode=policy.mode,
        steady=ratio is not None and ratio >= policy.steady_ratio,
        eligible=not against,
        tail=budget.tail if against else extended,
        ratio=_two(ratio),
        share=share,
        samples=samples,
        reasons=tuple(against),
    )


def grid_start(sizes: Sequence[int], limit: int) -> int:
    """Where a tail of at most `limit` tokens starts if its start may move only in whole parts of the limit.

    As a conversation grows, the start stays for a while and then jumps, instead of moving with every message; it
    depends on nothing but the sizes of the messages, so no memory of earlier calls is needed.
    """
    part = max(1, limit // GRID)
    gone = _gone(sum(sizes), limit, part) * part
    for position, size in enumerate(sizes):
        if gone <= 0:
            return position
        gone -= size
    return len(sizes)


def anchor(sizes: Sequence[int], limit: int, requests: Sequence[int]) -> int | None:
    """The first of these positions of requests, in order, from which on the tail has started where it starts now.

    What stands before that request can stay as it is for all later calls, until the start moves.
    """
    part = max(1, limit // GRID)
    now = _gone(sum(sizes), limit, part)
    total, done = 0, 0
    for position in requests:
        total += sum(sizes[done : position + 1])
        done = position + 1
        if _gone(total, limit, part) == now:
            return position
    return None


def _gone(total: int, limit: int, part: int) -> int:
    """How many parts have been cut off a list of this size."""
    return max(0, -(-(total - limit) // part))


def common(before: Sequence[str | None], now: Sequence[str | None]) -> int:
    """How many leading messages are the same; an unknown hash ends the comparison."""
    count = 0
    for one, other in zip(before, now, strict=False):
        if one is None or other is None or one != other:
            break
        count += 1
    return count


def cost(prices: Prices, total: int, reused: int) -> float | None:
    """Dollars of what one call sends, to six decimals; None when a price that it needs is not known."""
    cached = min(total, reused)
    parts = ((max(0, total - reused), prices.input), (cached, prices.cache_read))
    dollars = 0.0
    for amount, price in parts:
        if amount:
            if price is None or not math.isfinite(price) or price < 0:
                return None
            dollars += amount * price
    return math.floor(dollars + 0.5) / 1e6


def extend(
    policy: CachePolicy, state: CacheState, nominal: tuple[float, float], longer: tuple[float, float]
) -> CacheState:
    """Whether the longer tail is used from now on.

    Both pairs are the cost of a call that reuses nothing and of one that reuses all but its end. Over an epoch the
    longer tail pays the first once, the sliding one with every turn. It is adopted only when it is cheaper by the
    margin, and dropped only after it has lost several comparisons in a row.
    """
    calls, turns = policy.requests_per_turn, policy.turns_per_epoch
    stable = longer[0] + (calls * turns - 1) * longer[1]
    sliding = turns * (nominal[0] + (calls - 1) * nominal[1])
    wins = stable < sliding * (1 - policy.minimum_improvement)
    if not state.adopted:
        return CacheState(wins, 0)
    losses = 0 if wins else state.losses + 1
    return CacheState(losses < policy.stickiness, losses)


def _ratio(prices: Prices) -> float | None:
    if prices.input is None or prices.cache_read is None or prices.cache_read <= 0 or prices.input < 0:
        return None
    return prices.input / prices.cache_read


def _two(value: float | None) -> float | None:
    return None if value is None else math.floor(value * 100 + 0.5) / 100
