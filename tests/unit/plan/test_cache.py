"""When a longer tail is considered, what a call can reuse, what it costs, and how slowly a choice is taken back."""

import pytest

from backstory.plan import cache
from backstory.plan.budget import allocate
from backstory.plan.profile import resolve
from backstory.records.budget import Calibration, Limits, Model, Prices
from backstory.records.plan import CachePolicy, CacheState

AUTO = CachePolicy(mode="auto")
CHEAP = Prices(3.0, 15.0, 0.1, 3.75)
SEEN = Calibration(read_share=0.8, cache_samples=5)
BUDGET = allocate(resolve(Model("p", "m", 128_000, 16_384)), Limits())


def test_a_longer_tail_is_considered_when_everything_speaks_for_it() -> None:
    report = cache.eligible(AUTO, CHEAP, SEEN, BUDGET)
    assert (report.eligible, report.tail, report.ratio) == (True, 44_800, 30.0)


@pytest.mark.parametrize(
    ("policy", "prices", "seen", "reason"),
    [
        (CachePolicy(mode="off"), CHEAP, SEEN, "off"),
        (AUTO, Prices(3.0), SEEN, "cache-pricing-incomplete"),
        (AUTO, Prices(3.0, 15.0, 0.3), SEEN, "ratio-too-low:10.00"),
        (AUTO, CHEAP, Calibration(cache_samples=5), "cache-share-unobserved"),
        (AUTO, CHEAP, Calibration(read_share=0.25, cache_samples=5), "share-too-low:0.2500"),
        (AUTO, CHEAP, Calibration(read_share=0.8, cache_samples=2), "insufficient-samples:2"),
    ],
)
def test_otherwise_the_tail_stays_and_the_reason_is_told(
    policy: CachePolicy, prices: Prices, seen: Calibration, reason: str
) -> None:
    report = cache.eligible(policy, prices, seen, BUDGET)
    assert (report.eligible, report.tail, report.reasons) == (False, BUDGET.tail, (reason,))


@pytest.mark.parametrize(
    ("policy", "read", "expected"),
    [
        (AUTO, 0.75, True),
        (AUTO, 1.0, False),
        (AUTO, None, False),
        (CachePolicy(mode="steady"), None, True),
        (CachePolicy(mode="off"), 0.1, False),
    ],
)
def test_the_start_of_the_tail_moves_seldom_where_that_pays(
    policy: CachePolicy, read: float | None, expected: object
) -> None:
    assert cache.eligible(policy, Prices(3.0, 15.0, read), SEEN, BUDGET).steady is expected


def test_a_share_a_ratio_and_samples_that_are_just_enough_are_enough() -> None:
    policy = CachePolicy(mode="auto", minimum_ratio=30.0, minimum_read_share=0.8, minimum_samples=5)
    assert cache.eligible(policy, CHEAP, SEEN, BUDGET).eligible


@pytest.mark.parametrize("prices", [Prices(3.0, None, 0.0), Prices(-1.0, None, 0.1), Prices(None, None, 0.1)])
def test_prices_that_make_no_ratio_are_incomplete(prices: Prices) -> None:
    report = cache.eligible(AUTO, prices, SEEN, BUDGET)
    assert (report.ratio, report.reasons, report.steady) == (None, ("cache-pricing-incomplete",), False)


def test_reuse_ends_at_the_first_difference_or_unknown_message() -> None:
    assert cache.common(["a", "b", "c"], ["a", "b", "x"]) == 2
    assert cache.common(["a", None], ["a", None]) == 1
    assert cache.common([], ["a"]) == 0


def test_a_call_costs_what_it_reads_anew_at_full_price() -> None:
    assert cache.cost(CHEAP, 10_000, 9_000) == pytest.approx((1_000 * 3 + 9_000 * 0.1) / 1e6)
    assert cache.cost(Prices(3.0), 10_000, 0) == pytest.approx(0.03)
    assert cache.cost(Prices(3.0), 10_000, 1) is None
    assert cache.cost(Prices(-3.0), 10_000, 0) is None
    assert cache.cost(Prices(0.0, 0.0, 0.0), 10_000, 5_000) == 0.0
    assert cache.cost(CHEAP, 10_000, 20_000) == pytest.approx(10_000 * 0.1 / 1e6)


def test_a_choice_is_made_with_a_margin_and_dropped_after_losing_twice() -> None:
    cheap, dear = (1.0, 0.01), (1.0, 0.9)
    adopted = cache.extend(AUTO, CacheState(), (1.0, 0.5), cheap)
    assert adopted == CacheState(adopted=True, losses=0)
    once = cache.extend(AUTO, adopted, (0.1, 0.1), dear)
    assert (once.adopted, once.losses) == (True, 1)
    twice = cache.extend(AUTO, once, (0.1, 0.1), dear)
    assert not twice.adopted
    assert not cache.extend(AUTO, CacheState(), (1.0, 1.0), (1.0, 0.99)).adopted


def test_over_an_epoch_of_sixteen_calls_one_is_cold_where_the_tail_stays_and_four_where_it_slides() -> None:
    """15 warm calls and a cold one against 12 warm and 4 cold ones; a tenth less is the margin."""
    sliding = 4 * 1.0 + 12 * 0.1
    for warm, adopted in [((0.899 * sliding - 2.0) / 15, True), ((0.901 * sliding - 2.0) / 15, False)]:
        assert cache.extend(AUTO, CacheState(), (1.0, 0.1), (2.0, warm)).adopted == adopted


def test_a_steady_tail_starts_at_the_same_message_for_a_while() -> None:
    sizes = [10] * 40
    starts = [cache.grid_start(sizes[:length], 100) for length in range(1, 41)]
    assert starts[9] == 0
    assert sorted(starts) == starts
    assert len(set(starts)) <= 14
    assert all(sum(sizes[start:length]) <= 100 for length, start in enumerate(starts, 1))


def test_an_anchor_is_the_first_request_since_the_tail_starts_where_it_does() -> None:
    sizes = [10] * 40
    requests = range(0, 40, 3)
    for length in range(12, 41):
        start = cache.grid_start(sizes[:length], 100)
        anchor = cache.anchor(sizes[:length], 100, [at for at in requests if at < length])
        same = [at for at in requests if at < length and cache.grid_start(sizes[: at + 1], 100) == start]
        assert anchor == min(same, default=None)
