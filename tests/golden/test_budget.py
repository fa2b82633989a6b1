"""The worked vectors of budgets, calibration and category limits."""

import pytest

from backstory.plan.budget import allocate, category, ceilings_for
from backstory.plan.calibrate import calibrate, tune
from backstory.plan.profile import resolve
from backstory.records.budget import Bounds, Calibration, Limits, Model, Override, Sample, Tuning

BUDGETS = [
    # window, max output, ratio, reserve, margin, hard, soft, target, active
    (8_192, 4_096, 1.0, 4_096, 1_024, 3_072, 3_072, 5_734, 3_072),
    (32_768, 4_096, 1.0, 4_096, 1_024, 27_648, 26_214, 22_937, 22_937),
    (40_000, 8_192, 1.0, 8_192, 1_024, 30_784, 30_784, 28_000, 28_000),
    (128_000, 16_384, 1.0, 16_384, 2_560, 109_056, 102_400, 89_600, 89_600),
    (131_072, 8_192, 1.25, 8_192, 2_622, 94_371, 83_885, 73_400, 73_400),
    (131_072, 8_192, 0.7, 8_192, 2_622, 117_964, 104_857, 91_750, 91_750),
    (200_000, 64_000, 1.0, 32_768, 4_000, 163_232, 160_000, 140_000, 140_000),
    (262_144, 32_768, 1.0, 32_768, 5_243, 224_133, 209_715, 183_500, 183_500),
    (1_050_000, 128_000, 1.0, 32_768, 8_192, 945_000, 840_000, 735_000, 735_000),
]
CALIBRATIONS = [
    # ratios, accepted, outliers, out of bounds, applied
    ((1.30, 1.36, 1.38, 2.40), 3, 0, 1, 1.36),
    ((1.0, 1.0), 2, 0, 0, 1.0),
    ((1.2, 1.2, 1.2, 1.9), 3, 1, 0, 1.2),
    ((0.95, 1.0, 1.05, 1.30), 3, 1, 0, 1.0),
    ((0.95, 1.0, 1.05, 1.20), 4, 0, 0, 1.025),
    ((1.0, 1.0, 1.0, 1.09), 4, 0, 0, 1.0),
    ((1.0, 1.0, 1.0, 1.12), 3, 1, 0, 1.0),
]


def samples(*ratios: float) -> list[Sample]:
    return [Sample(100_000, round(100_000 * ratio)) for ratio in ratios]


@pytest.mark.parametrize("row", BUDGETS, ids=lambda row: f"{row[0]}@{row[2]}")
def test_the_parts_of_a_budget_follow_from_window_output_and_ratio(
    row: tuple[int, int, float, int, int, int, int, int, int],
) -> None:
    window, output, ratio, *expected = row
    calibration = Calibration(calibrated=True, ratio=ratio, accepted=9)
    budget = allocate(resolve(Model("p", "m", window, output)), Limits(), calibration)
    found = [budget.reserve, budget.margin, budget.hard, budget.soft, budget.target, budget.active]
    assert found == expected


@pytest.mark.parametrize(("ratios", "accepted", "outliers", "beyond", "applied"), CALIBRATIONS)
def test_answers_that_agree_set_the_ratio_and_outliers_do_not(
    ratios: tuple[float, ...], accepted: int, outliers: int, beyond: int, applied: float
) -> None:
    found = calibrate(samples(*ratios), Bounds())
    assert (found.accepted, found.outliers, found.out_of_bounds) == (accepted, outliers, beyond)
    assert found.ratio == pytest.approx(applied)
    assert found.rejected == len(ratios) - accepted


@pytest.mark.parametrize(
    ("nominal", "ratio", "factor", "expected"),
    [
        (24_000, 1.25, 1.0, 19_200),
        (24_000, 0.8, 1.0, 30_000),
        (24_000, 1.0, 1.125, 27_000),
        (64_000, 0.5, 1.125, 64_000),
    ],
)
def test_the_limit_of_a_category_follows_from_its_share(
    nominal: int, ratio: float, factor: float, expected: int
) -> None:
    assert category(64_000, nominal, None, ratio, factor) == expected


@pytest.mark.parametrize(("ratio", "expected"), [(1.0, 10_000), (1.25, 8_000), (0.5, 20_000), (0.1, 64_000)])
def test_what_a_person_says_of_a_category_is_corrected_but_never_grows(ratio: float, expected: int) -> None:
    assert category(64_000, 24_000, 10_000, ratio, 1.125) == expected
    assert category(64_000, None, 90_000, 1.0, 1.0) == 64_000


def test_without_model_awareness_only_the_tail_follows_the_window() -> None:
    profile = resolve(Model("p", "m", 32_768, 4_096), {"*": Override(tail=1, history=1, project=1)})
    limits, learned = Limits(model_aware=False), Calibration(calibrated=True, ratio=1.5, accepted=9)
    budget = allocate(profile, limits, learned, Tuning("expanded", 1.125))
    assert (budget.tail, budget.history, budget.project) == (12_000, limits.history, limits.project)
    assert (budget.ratio, budget.hard) == (1.0, 27_648)


@pytest.mark.parametrize(("target", "threshold"), [(89_600, 53_760), (735_000, 441_000)])
def test_growth_is_withdrawn_above_its_threshold(target: int, threshold: int) -> None:
    at = Calibration(calibrated=True, accepted=8, high_watermark=threshold)
    above = Calibration(calibrated=True, accepted=8, high_watermark=threshold + 1)
    assert tune(at, target, target * 2, enabled=True) == Tuning("expanded", 1.125)
    assert tune(above, target, target * 2, enabled=True).status == "no-headroom"


def test_seven_samples_are_not_enough_to_grow() -> None:
    few = Calibration(calibrated=True, accepted=7, high_watermark=10)
    assert tune(few, 1_000, 1_000, enabled=True).status == "insufficient-samples"


@pytest.mark.parametrize(
    ("window", "expected"),
    [
        (40_000, (12_000, 4_000, 4_000)),
        (40_001, (24_000, 8_000, 12_000)),
        (131_072, (24_000, 8_000, 12_000)),
        (131_073, (32_000, 16_000, 20_000)),
        (262_144, (32_000, 16_000, 20_000)),
        (262_145, (64_000, 32_000, 32_000)),
    ],
)
def test_ceilings_hold_up_to_their_bound(window: int, expected: tuple[int, int, int]) -> None:
    assert ceilings_for(window) == expected


def test_a_small_window_with_unknown_output_keeps_room_for_input() -> None:
    budget = allocate(resolve(Model("p", "m", 8_192)), Limits())
    assert (budget.reserve, budget.hard) == (4_096, 3_072)


@pytest.mark.parametrize("window", [8_192, 16_384, 32_768, 40_000, 65_536, 131_072, 200_000])
@pytest.mark.parametrize("output", [None, 0.1, 0.25, 0.5, 0.8, 1.0])
def test_an_output_of_any_size_leaves_room_for_input(window: int, output: float | None) -> None:
    limits, most = Limits(), None if output is None else int(window * output)
    budget = allocate(resolve(Model("p", "m", window, most)), limits)
    assert budget.reserve <= window * limits.reserve_share
    assert budget.hard >= window - window * limits.reserve_share - budget.margin
    assert budget.active >= window / 3
    assert budget.hard + budget.reserve + budget.margin <= window


def test_an_unknown_output_in_a_large_window_takes_the_preferred_reserve() -> None:
    assert allocate(resolve(Model("p", "m", 200_000)), Limits()).reserve == 32_768
