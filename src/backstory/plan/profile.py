"""From a model as its host describes it and a person's overrides to the profile that budgets are made from.

Overrides apply field by field, least specific first: `*`, then `provider/*`, then `provider/model`. Whether they make
sense was checked when the configuration was read (`config.checks`). After it: `plan.budget`.
"""

import math
from collections.abc import Mapping

from backstory.errors import InvalidConfigError
from backstory.records.budget import Model, Override, Profile

_NOTHING = Override()
_MARGIN_FLOOR, _MARGIN_CEILING, _MARGIN_SHARE = 1_024, 8_192, 0.02


def resolve(model: Model, overrides: Mapping[str, Override] | None = None, given: Override = _NOTHING) -> Profile:
    """The profile of a model; `given` are limits that win over all overrides.

    Raises `InvalidConfigError` for a window that is not positive or a negative margin.
    """
    keys = [key for key in ("*", f"{model.provider}/*", f"{model.provider}/{model.id}") if key in (overrides or {})]
    merged = _merge([*((overrides or {})[key] for key in keys), given])
    window = merged.window if merged.window is not None else model.window
    if window <= 0:
        raise InvalidConfigError(f"{model.provider}/{model.id}: a context window must be positive, not {window}")
    margin = merged.margin
    if margin is None:
        margin = min(_MARGIN_CEILING, max(_MARGIN_FLOOR, math.ceil(_MARGIN_SHARE * window)))
    if margin < 0:
        raise InvalidConfigError(f"{model.provider}/{model.id}: a safety margin cannot be negative")
    output = merged.max_output if merged.max_output is not None else model.max_output
    return Profile(
        provider=model.provider,
        model=model.id,
        window=window,
        margin=min(margin, window),
        max_output=min(output, window) if output and output > 0 else None,
        tail=merged.tail,
        history=merged.history,
        project=merged.project,
        estimator=merged.estimator or "chars-v1",
        prices=merged.prices or model.prices,
        matched=tuple(keys),
    )


def _merge(overrides: list[Override]) -> Override:
    """One override in which the last one that sets a field wins."""
    fields: dict[str, object] = {}
    for override in overrides:
        for name in override.__struct_fields__:
            value = getattr(override, name)
            if value is not None:
                fields[name] = value
    return Override(**fields)  # type: ignore[arg-type]
