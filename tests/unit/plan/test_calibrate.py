"""Calibration: minimum, drift, growth, and overrides by how specific they are."""

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.config import checks
from backstory.errors import InvalidConfigError
from backstory.plan.calibrate import calibrate, median, tune
from backstory.plan.profile import resolve
from backstory.records.budget import Bounds, Drift, Model, Override, Sample


def repeated(ratio: float, times: int) -> list[Sample]:
    return [Sample(10_000, round(10_000 * ratio)) for _ in range(times)]


@pytest.mark.parametrize(
    ("ratio", "drift"),
    [
        (1.0, None),
        (1.25, Drift("persistent-underestimate", "warning")),
        (1.6, Drift("persistent-underestimate", "critical")),
        (0.8, Drift("persistent-overestimate", "warning")),
        (0.63, Drift("persistent-overestimate", "warning")),
        (0.625, Drift("persistent-overestimate", "critical")),
        (1.59, Drift("persistent-underestimate", "warning")),
        (1.24, None),
        (0.81, None),
    ],
)
def test_drift_is_named(ratio: float, drift: Drift | None) -> None:
    assert calibrate(repeated(ratio, 3), Bounds()).drift == drift


def test_strays_are_reported_when_there_are_as_many_as_a_calibration_needs() -> None:
    found = calibrate([*repeated(1.0, 3), *repeated(5.0, 3)], Bounds())
    assert found.drift == Drift("calibration-outliers", "warning")


def test_unusable_samples_are_only_counted() -> None:
    found = calibrate([Sample(0, 10), Sample(10, 0), Sample(10, 5, -1), *repeated(1.1, 3)], Bounds())
    assert (found.observed, found.accepted, found.rejected, found.out_of_bounds) == (6, 3, 3, 0)


def test_ratios_at_the_bounds_are_believed_and_those_beyond_are_not() -> None:
    bounds = Bounds(lower=0.5, upper=2.0)
    samples = [Sample(100, 50), Sample(100, 200), Sample(1_000, 499), Sample(1_000, 2_001)]
    found = calibrate(samples, bounds)
    assert (found.bounded, found.out_of_bounds) == (2, 2)


def test_a_share_of_nothing_is_not_known() -> None:
    empty = calibrate([], Bounds())
    assert (empty.median, empty.read_share, empty.write_share, empty.high_watermark) == (None, None, None, 0)
    found = calibrate([Sample(100, 60, 30, 10)], Bounds())
    assert (found.read_share, found.write_share) == (0.3, 0.1)


def test_a_target_of_nothing_leaves_no_room_to_grow() -> None:
    assert tune(calibrate(repeated(1.0, 9), Bounds()), 0, 1_000, enabled=True).factor == 1.0
    assert tune(calibrate(repeated(1.0, 9), Bounds()), 20_000, 20_000, enabled=True).factor > 1.0


def test_switched_off_it_stays_at_one_without_drift() -> None:
    found = calibrate(repeated(1.9, 5), Bounds(enabled=False))
    assert (found.calibrated, found.ratio, found.drift) == (False, 1.0, None)


def test_cache_shares_count_outliers_too() -> None:
    found = calibrate([*repeated(1.0, 3), Sample(10, 0, 500, 500)], Bounds())
    assert found.cache_samples == 4
    assert found.read_share == pytest.approx(500 / 31_000, abs=1e-6)
    assert found.high_watermark == 10_000


@pytest.mark.parametrize("ratio", [1.4, 9.0])
def test_a_large_call_withdraws_growth_however_far_off_its_estimate_was(ratio: float) -> None:
    large = Sample(round(61_000 / ratio), 61_000)
    calm = repeated(1.0, 9)
    assert tune(calibrate(calm, Bounds()), 100_000, 100_000, enabled=True).status == "expanded"
    assert tune(calibrate([*calm, large], Bounds()), 100_000, 100_000, enabled=True).status == "no-headroom"


def test_growth_is_off_unless_asked_for() -> None:
    assert tune(calibrate(repeated(1.0, 9), Bounds()), 1_000, 1_000, enabled=False).factor == 1.0


def test_the_most_specific_override_wins_field_by_field() -> None:
    overrides = {
        "*": Override(margin=9, tail=1),
        "p/*": Override(tail=2, history=2),
        "p/m": Override(tail=3),
        "q/*": Override(tail=4),
    }
    profile = resolve(Model("p", "m", 100_000), overrides)
    assert (profile.margin, profile.history, profile.tail) == (9, 2, 3)
    assert profile.matched == ("*", "p/*", "p/m")


@pytest.mark.parametrize(
    "overrides",
    [
        {"p": Override()},
        {"*/m": Override()},
        {"p/m": Override(tail=-1)},
        {"p/m": Override(window=10, max_output=11)},
        {"*": Override(window=0)},
    ],
)
def test_an_impossible_override_refuses_its_whole_source(overrides: dict[str, Override]) -> None:
    with pytest.raises(InvalidConfigError):
        checks.models(overrides)


def test_a_window_must_be_positive() -> None:
    with pytest.raises(InvalidConfigError, match="positive"):
        resolve(Model("p", "m", 0))


@given(st.lists(st.floats(0, 10), min_size=1))
def test_the_median_is_that_of_statistics(values: list[float]) -> None:
    assert median(values) == statistics.median(values)
