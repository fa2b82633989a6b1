"""What a project may say about privacy: it can make a person's rules stricter, never looser.

Every rule is taken to the stricter of the two. What a project says that would loosen a rule changes nothing.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from backstory.config.checks import provider
from backstory.config.keys import Path
from backstory.records.privacy import LEVELS, Policy


def tightened(policy: Policy, values: Mapping[Path, Any]) -> Policy:
    """A person's policy under a project's privacy settings, given by path."""
    said = {path[1:]: value for path, value in values.items() if path[0] == "privacy"}
    if not said:
        return policy
    local = policy.local
    if ("local",) in said:
        named = {provider(name) for name in said["local",]}
        local = tuple(name for name in local if provider(name) in named)
    default = max(policy.default, said.get(("default",), policy.default), key=LEVELS.index)
    remote_default = _both(policy.remote_default, said.get(("remote_default",)))
    ruled = {provider(path[1]) for path in said if path[0] == "remote"}
    other = said.get(("remote_default",))
    limited = {
        name: levels if provider(name) in ruled else _both(levels, other) for name, levels in policy.remote.items()
    }
    for path, levels in said.items():
        if path[0] == "remote":
            name = provider(path[1])
            local = tuple(one for one in local if provider(one) != name)
            known = next((one for one in limited if provider(one) == name), path[1])
            limited[known] = _both(limited.get(known, remote_default), levels)
    return msgspec.structs.replace(
        policy,
        enabled=policy.enabled or said.get(("enabled",), False),
        default=default,
        local=local,
        remote_default=remote_default,
        remote=limited,
        redact_secrets=policy.redact_secrets or said.get(("redact_secrets",), False),
    )


def _both(ours: tuple[str, ...], theirs: Iterable[str] | None) -> tuple[str, ...]:
    return ours if theirs is None else tuple(level for level in ours if level in set(theirs))
