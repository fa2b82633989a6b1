"""Rules between settings, which no single value can break: fills in order, sound overrides, consistent privacy.

Each check raises `InvalidConfigError` with a text that names the section and the reason.
"""

from collections.abc import Callable, Mapping
from typing import Any

from backstory.errors import InvalidConfigError
from backstory.records.budget import Bounds, Limits, Override
from backstory.records.config import Config
from backstory.records.privacy import LEVELS, Policy


def config(given: Config) -> dict[str, str]:
    """What is wrong with a whole configuration, by section."""
    found: dict[str, str] = {}
    sections: tuple[tuple[str, Callable[[Any], None]], ...] = (
        ("budget", limits),
        ("calibration", bounds),
        ("models", models),
        ("privacy", privacy),
    )
    for section, check in sections:
        try:
            check(getattr(given, section))
        except InvalidConfigError as error:
            found[section] = str(error)
    return found


def limits(given: Limits) -> None:
    """Refuse fills that are out of order.

    Raises:
        InvalidConfigError: they are.
    """
    if not 0 < given.target_fill <= given.hard_fill or given.soft_fill > given.hard_fill:
        raise InvalidConfigError("budget: target_fill and soft_fill must not be above hard_fill, nor target_fill 0")


def bounds(given: Bounds) -> None:
    """Refuse bounds between which 1 does not lie: without a correction everything must be allowed.

    Raises:
        InvalidConfigError: it does not.
    """
    if not given.lower <= 1 <= given.upper:
        raise InvalidConfigError("calibration: lower must be at most 1 and upper at least 1")


def models(overrides: Mapping[str, Override]) -> None:
    """Refuse overrides with a malformed key or an impossible limit: one such value refuses them all.

    Raises:
        InvalidConfigError: there is one.
    """
    for key, override in overrides.items():
        provider, slash, name = key.partition("/")
        if key != "*" and not (provider and provider != "*" and slash and name):
            raise InvalidConfigError(f"models: {key!r} is none of *, provider/* and provider/model")
        for field in ("window", "max_output", "margin", "tail", "history", "project"):
            value = getattr(override, field)
            if value is not None and (value < 0 or (value == 0 and field in {"window", "max_output"})):
                raise InvalidConfigError(f"models: {key}: {field} cannot be {value}")
        if override.window and override.max_output and override.max_output > override.window:
            raise InvalidConfigError(f"models: {key}: more output than window")


def privacy(policy: Policy) -> None:
    """Refuse rules that contradict themselves or would let local-only content out.

    Raises:
        InvalidConfigError: they do.
    """
    named = {"default": (policy.default,), "remote_default": policy.remote_default, **policy.remote}
    for where, levels in named.items():
        unknown = [level for level in levels if level not in LEVELS]
        if unknown:
            raise InvalidConfigError(f"privacy: {where}: unknown level {unknown[0]!r}")
        if where != "default" and "local-only" in levels:
            raise InvalidConfigError(f"privacy: {where}: local-only content never leaves this machine")
    both = {provider(name) for name in policy.local} & {provider(name) for name in policy.remote}
    if both:
        raise InvalidConfigError(f"privacy: {min(both)!r} is named both local and remote")


def provider(name: str) -> str:
    """A provider's name as names are compared: without case and outer space."""
    return name.strip().lower()
