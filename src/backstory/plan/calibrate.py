"""What answered calls say about the estimator: a robust ratio, its drift, and whether there is room to use more.

Samples belong to one provider, model and estimator; the caller keeps them apart and passes the newest window of them.
Estimates in samples are raw, so that a calibration never feeds on itself. After it: `plan.budget`.
"""

import math
from collections.abc import Sequence

from backstory.records.budget import Bounds, Calibration, Drift, Sample, Tuning

_SAFE = 2**53 - 1
_TUNE_SAMPLES, _TUNE_HEADROOM, _TUNE_FACTOR = 8, 0.60, 1.125


def calibrate(samples: Sequence[Sample], bounds: Bounds) -> Calibration:
    """The calibration of one profile from its newest samples, in any order."""
    valid = [sample for sample in samples if _valid(sample)]
    ratios = [sample.actual / sample.estimated for sample in valid]
    bounded = [ratio for ratio in ratios if bounds.lower <= ratio <= bounds.upper]
    accepted = _near_the_median(bounded)
    calibrated = bounds.enabled and len(accepted) >= max(1, bounds.minimum)
    middle = median(accepted) if accepted else None
    ratio = min(bounds.upper, max(bounds.lower, middle)) if calibrated and middle is not None else 1.0
    outliers, beyond = len(bounded) - len(accepted), len(valid) - len(bounded)
    total = sum(sample.actual for sample in valid)
    return Calibration(
        calibrated=calibrated,
        ratio=_six(ratio),
        median=_six(middle) if middle is not None else None,
        observed=len(samples),
        bounded=len(bounded),
        accepted=len(accepted),
        rejected=len(samples) - len(accepted),
        outliers=outliers,
        out_of_bounds=beyond,
        high_watermark=max((sample.actual for sample in valid), default=0),
        read_share=_six(sum(sample.cache_read for sample in valid) / total) if total else None,
        write_share=_six(sum(sample.cache_write for sample in valid) / total) if total else None,
        cache_samples=len(valid),
        drift=_drift(bounds, middle if calibrated else None, outliers + beyond) if bounds.enabled else None,
    )


def tune(calibration: Calibration, nominal_target: int, nominal_hard: int, *, enabled: bool) -> Tuning:
    """Whether the largest recent call left so much room that the categories may grow by an eighth.

    The high watermark counts every valid sample, outliers too: an outlier near the limit makes growth unsafe.
    """
    if not enabled:
        return Tuning()
    if not calibration.calibrated or calibration.accepted < _TUNE_SAMPLES:
        return Tuning("insufficient-samples")
    target = min(nominal_target, nominal_hard)
    if target <= 0 or calibration.high_watermark / target > _TUNE_HEADROOM:
        return Tuning("no-headroom")
    return Tuning("expanded", _TUNE_FACTOR)


def _valid(sample: Sample) -> bool:
    parts = (sample.input, sample.cache_read, sample.cache_write, sample.time)
    return 0 < sample.estimated <= _SAFE and 0 < sample.actual <= _SAFE and all(0 <= part <= _SAFE for part in parts)


def median(values: Sequence[float]) -> float:
    """The middle of some values; a module that knows more of statistics takes longer to load than a plan to make."""
    ordered, middle = sorted(values), len(values) // 2
    return ordered[middle] if len(values) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def _near_the_median(ratios: list[float]) -> list[float]:
    """Ratios within 0.05, a tenth of the median or three scaled median deviations of it, whichever is widest."""
    if not ratios:
        return []
    center = median(ratios)
    deviation = median([abs(ratio - center) for ratio in ratios])
    tolerance = max(0.05, 0.10 * center, 3 * 1.4826 * deviation)
    return [ratio for ratio in ratios if abs(ratio - center) <= tolerance]


def _drift(bounds: Bounds, middle: float | None, strays: int) -> Drift | None:
    if middle is not None and middle >= 1.25:
        return Drift("persistent-underestimate", "critical" if middle >= 1.6 else "warning")
    if middle is not None and middle <= 0.80:
        return Drift("persistent-overestimate", "critical" if middle <= 0.625 else "warning")
    if strays >= bounds.minimum:
        return Drift("calibration-outliers", "warning")
    return None


def _six(value: float) -> float:
    """Half-up rounding to six decimals: the same digits in every language that reads the manifest."""
    return math.floor(value * 1e6 + 0.5) / 1e6
