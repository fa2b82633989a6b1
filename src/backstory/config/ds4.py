"""Understands `ds4-context.json`, the settings of the DS4 engine: which of its keys are which of ours.

Keys that mean nothing here are told, never guessed at, except where they ask for what is done anyway. Neighbours:
`config.files` parses, `config.load` asks.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from backstory.config.keys import Fault, Path

NAME = "ds4-context.json"

_SECTIONS: Mapping[str, Mapping[str, str]] = {
    "": {"enabled": "mode"},
    "context": {
        "targetFillRatio": "budget.target_fill",
        "softLimitRatio": "budget.soft_fill",
        "hardLimitRatio": "budget.hard_fill",
        "minimumOutputReserve": "budget.minimum_reserve",
        "preferredOutputReserve": "budget.preferred_reserve",
        "recentTailTokens": "budget.tail",
        "maxPinnedTokens": "budget.pins",
        "maxMemoryTokens": "budget.memory",
        "maxRetrievedHistoryTokens": "budget.history",
        "maxProjectTokens": "budget.project",
        "maxSummaryTokens": "budget.summaries",
        "rescueImmediatePredecessor": "context.rescue",
        "supplementalPlacement": "context.placement",
    },
    "context.cacheAware": {
        "mode": "cache.mode",
        "minimumCacheSampleCount": "cache.minimum_samples",
        "minimumCacheReadShare": "cache.minimum_read_share",
        "minimumMissHitRatio": "cache.minimum_ratio",
        "minimumImprovementRatio": "cache.minimum_improvement",
        "maxTailBudgetShare": "cache.budget_share",
        "expectedRequestsPerTurn": "cache.requests_per_turn",
        "expectedTurnsPerEpoch": "cache.turns_per_epoch",
        "stickinessEpochs": "cache.stickiness",
    },
    "modelAwareness": {
        "enabled": "budget.model_aware",
        "calibrationWindow": "calibration.window",
        "minimumCalibrationSamples": "calibration.minimum",
        "autoTune": "calibration.auto_tune",
    },
    "retrieval": {"semantic": "retrieval.semantic", "maxResults": "retrieval.results"},
    "project": {"enabled": "project.enabled", "maxFiles": "project.files"},
    "memory": {
        "enabled": "memory.enabled",
        "maxResults": "memory.results",
        "crossSession": "memory.across_sessions",
        "maxProjectSessions": "memory.sessions",
    },
    "artifacts": {
        "enabled": "artifacts.enabled",
        "storeLargeOutputs": "artifacts.enabled",
        "maxInlineToolResultChars": "artifacts.threshold",
    },
    "privacy": {
        "enabled": "privacy.enabled",
        "defaultClassification": "privacy.default",
        "localProviders": "privacy.local",
        "remoteDefaultAllowed": "privacy.remote_default",
        "redactSecrets": "privacy.redact_secrets",
    },
    "diagnostics": {"storeContextManifest": "manifests.store"},
    "historyTools": {"enabled": "tools.history", "allowProjectScope": "tools.across_sessions"},
}
_MODEL: Mapping[str, str] = {
    "contextWindow": "window",
    "maxOutputTokens": "max_output",
    "safetyMarginTokens": "margin",
    "recentTailTokens": "tail",
    "maxRetrievedHistoryTokens": "history",
    "maxProjectTokens": "project",
    "tokenEstimator": "estimator",
}
# Keys that ask for what is done anyway, as long as they hold these values.
ANYWAY: Mapping[str, Any] = {
    "retrieval.exact": True,
    "retrieval.fts": True,
    "artifacts.adaptiveBudget": False,
    "artifacts.excerptChars": 6_000,
    "artifacts.maxArtifactBytes": 100_000_000,
    "artifacts.maxSearchMatches": 12,
    "diagnostics.storeFullRenderedContext": False,
    "nativeContinuation.enabled": False,
    "nativeContinuation.allowProviderStorage": False,
    "localKvReuse.enabled": False,
    "quality.enabled": False,
    "ranking.mode": "off",
    "editing.anchored": False,
    "editing.postEditReport": False,
    "reading.adaptive": False,
    "jobs.enabled": False,
}
_WAYS = ("exact", "fts")
_VALUES: Mapping[str, Mapping[Any, Any]] = {
    "mode": {True: "active", False: "off"},
    "estimator": {"o200k-base-v1": "bpe"},
}
_KNOWN = (*_SECTIONS, *(key.rpartition(".")[0] for key in ANYWAY))
_TABLES = {name for section in _KNOWN for name in (section, section.partition(".")[0])}


def read(given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[Path, Path], list[Fault]]:
    """Nested tables of our settings, our path to its path in the file, and the keys without a meaning here."""
    tables: dict[str, Any] = {}
    named: dict[Path, Path] = {}
    faults: list[Fault] = []
    for path, ours, value in _walk(given, ()):
        if not ours:
            if ".".join(path) in ANYWAY and ANYWAY[".".join(path)] == value:
                continue
            faults.append(Fault(path, "has no meaning here and is left aside"))
            continue
        named[ours] = path
        table = tables
        for name in ours[:-1]:
            table = table.setdefault(name, {})
        table[ours[-1]] = _translated(ours[-1], value)
    return tables, named, faults


def _walk(given: Mapping[str, Any], at: Path) -> Iterator[tuple[Path, Path, Any]]:
    """Every value with its path and our path, which is empty when there is none."""
    keys = _SECTIONS.get(".".join(at), {})
    for name, value in given.items():
        path = (*at, name)
        if name in keys:
            yield path, tuple(keys[name].split(".")), value
        elif at == ("retrieval",) and name in _WAYS and all(given.get(way) is False for way in _WAYS):
            # One way of looking cannot be switched off alone; without both nothing is looked for.
            yield path, ("retrieval", "enabled"), False
        elif path == ("modelAwareness", "overrides") and isinstance(value, dict):
            yield from _models(path, value)
        elif path == ("privacy", "remoteProviders") and isinstance(value, dict):
            yield from (((*path, one), ("privacy", "remote", one), levels) for one, levels in value.items())
        elif ".".join(path) in _TABLES and isinstance(value, dict):
            yield from _walk(value, path)
        else:
            yield path, (), value


def _models(at: Path, given: Mapping[str, Any]) -> Iterator[tuple[Path, Path, Any]]:
    for key, fields in given.items():
        if not isinstance(fields, dict):
            yield (*at, key), (), fields
            continue
        for name, value in fields.items():
            ours = ("models", key, _MODEL[name]) if name in _MODEL else ()
            yield (*at, key, name), ours, value


def _translated(name: str, value: Any) -> Any:
    known = _VALUES.get(name, {})
    return known.get(value, value) if isinstance(value, str | bool) else value
