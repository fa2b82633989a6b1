"""How many tokens a call may use, as a whole and per category: arithmetic over a profile, settings and calibration.

A calibration ratio above 1 (the estimator counts too few) shrinks the limits of the whole call; one below 1 never
raises them. Category limits follow the ratio in both directions but never pass their configured cap. A reserve for
output never takes more than a share of the window, so that a small window still has room where the output size is
unknown, or as large as the window.
Before it: `plan.profile`, `plan.calibrate`. After it: `plan.planner`.
"""

import math

from backstory.records.budget import Budget, Calibration, Limits, Profile, Tuning

# Upper bound of the window, then the ceilings of tail, history and project.
_TIERS = ((40_000, 12_000, 4_000, 4_000), (131_072, 24_000, 8_000, 12_000), (262_144, 32_000, 16_000, 20_000))
_LARGEST = (64_000, 32_000, 32_000)
_UNCALIBRATED = Calibration()
_UNTUNED = Tuning()


def allocate(
    profile: Profile,
    limits: Limits,
    calibration: Calibration = _UNCALIBRATED,
    tuning: Tuning = _UNTUNED,
) -> Budget:
    """The budget of one call."""
    reserve = _reserve(profile, limits)
    margin = min(profile.margin, max(0, profile.window - reserve))
    room = max(0, profile.window - reserve - margin)
    hard = min(room, math.floor(profile.window * limits.hard_fill))
    soft = min(hard, math.floor(profile.window * limits.soft_fill))
    target = math.floor(profile.window * limits.target_fill)
    ratio = calibration.ratio if limits.model_aware and calibration.calibrated and calibration.ratio > 0 else 1.0
    shrink = max(1.0, ratio)
    hard_units, target_units = _units(hard, shrink), _units(target, shrink)
    active = min(hard_units, target_units)
    supplement = math.floor(active * limits.supplement_share)
    card = math.floor(supplement * limits.card_share)
    tail, history, project = _categories(profile, limits, ratio, tuning.factor)
    return Budget(
        window=profile.window,
        reserve=reserve,
        margin=margin,
        hard=hard_units,
        soft=min(hard_units, _units(soft, shrink)),
        target=target_units,
        active=active,
        tail=tail,
        history=history,
        project=project,
        pins=limits.pins,
        memory=limits.memory,
        summaries=limits.summaries,
        card=card,
        excerpts=supplement - card,
        ratio=ratio,
        samples=calibration.accepted,
        nominal_hard=hard,
        nominal_soft=soft,
        nominal_target=target,
    )


def ceilings_for(window: int) -> tuple[int, int, int]:
    """Automatic ceilings of tail, history and project for a window."""
    for bound, tail, history, project in _TIERS:
        if window <= bound:
            return tail, history, project
    return _LARGEST


def category(cap: int, ceiling: int | None, override: int | None, ratio: float, factor: float) -> int:
    """The limit of one category: explicit, or its ceiling times `factor`; then calibrated, never above its cap."""
    if override is not None:
        nominal = override
    else:
        nominal = min(cap, ceiling) if ceiling is not None else cap
        nominal = min(cap, math.floor(nominal * factor))
    calibrated = 0 if nominal <= 0 else max(1, math.floor(nominal / max(1e-6, ratio)))
    return min(cap, calibrated)


def _categories(profile: Profile, limits: Limits, ratio: float, factor: float) -> tuple[int, int, int]:
    """Limits of tail, history and project; without model awareness only the tail keeps its automatic ceiling."""
    tail, history, project = ceilings_for(profile.window)
    if not limits.model_aware:
        return category(limits.tail, tail, None, 1.0, 1.0), limits.history, limits.project
    return (
        category(limits.tail, tail, profile.tail, ratio, factor),
        category(limits.history, history, profile.history, ratio, factor),
        category(limits.project, project, profile.project, ratio, factor),
    )


def _reserve(profile: Profile, limits: Limits) -> int:
    """Tokens kept for the answer."""
    most = limits.preferred_reserve if profile.max_output is None else profile.max_output
    ceiling = min(most, math.floor(profile.window * limits.reserve_share))
    return max(min(limits.minimum_reserve, ceiling), min(limits.preferred_reserve, ceiling))


def _units(tokens: int, shrink: float) -> int:
    return max(0, math.floor(tokens / shrink)) if tokens > 0 else 0
