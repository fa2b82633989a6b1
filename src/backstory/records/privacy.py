"""What may leave for where, and what became of a text on its way. Counts and levels only, no text in diagnostics."""

import msgspec

from backstory.records.base import Record


class Policy(Record, frozen=True):
    """A person's rules. Providers not named local are remote; `remote` lists exactly what each of them may see."""

    enabled: bool = False
    default: str = "normal"
    local: tuple[str, ...] = ("faux", "ollama", "llama-cpp", "lmstudio")
    remote_default: tuple[str, ...] = ("normal", "internal")
    remote: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    redact_secrets: bool = True


class Destination(Record, frozen=True):
    """One provider and the levels it may see."""

    provider: str
    local: bool
    allowed: frozenset[str]


class Passage(Record, frozen=True):
    """What checking did: the level found, blocks withheld, secrets replaced, strings looked at."""

    level: str = "normal"
    changed: bool = False
    blocked: int = 0
    secrets: int = 0
    inspected: int = 0


class PrivacyReport(Record, frozen=True):
    """The privacy part of a manifest. `stage` is disabled or context."""

    stage: str = "disabled"
    provider: str = ""
    local: bool = False
    allowed: tuple[str, ...] = ()
    inspected: int = 0
    levels: dict[str, int] = msgspec.field(default_factory=dict)
    blocked: int = 0
    excluded: int = 0
    secrets: int = 0
    warnings: tuple[str, ...] = ()
