"""What may leave for where, and what became of a text on its way. Counts and levels only, no text in diagnostics."""

from typing import Annotated

import msgspec
from msgspec import Meta as Help

from backstory.records.base import Record

LEVELS = ("normal", "internal", "sensitive", "local-only")


class Policy(Record, frozen=True):
    """A person's rules. Providers not named local are remote; `remote` lists exactly what each of them may see."""

    enabled: Annotated[bool, Help(description="check what leaves for a provider")] = False
    default: Annotated[str, Help(description="level of text that no mark and no record gives one")] = "normal"
    local: Annotated[tuple[str, ...], Help(description="providers on this machine; they may see everything")] = (
        "faux",
        "ollama",
        "llama-cpp",
        "lmstudio",
    )
    remote_default: Annotated[tuple[str, ...], Help(description="levels that any other provider may see")] = (
        "normal",
        "internal",
    )
    remote: Annotated[
        dict[str, tuple[str, ...]], Help(description="levels that a provider may see, instead of the above")
    ] = msgspec.field(default_factory=dict)
    redact_secrets: Annotated[bool, Help(description="replace credentials on their way to a remote provider")] = True


LOCKED = Policy(enabled=True, default="local-only", local=(), remote_default=())
"""What holds when nobody can tell what the rules are: nothing may go anywhere."""


class Destination(Record, frozen=True):
    """One provider and the levels it may see."""

    provider: str
    local: bool
    allowed: frozenset[str]


class Passage(Record, frozen=True, gc=False):
    """What checking did: the level found, blocks withheld, secrets replaced, strings looked at."""

    level: str = "normal"
    changed: bool = False
    blocked: int = 0
    secrets: int = 0
    inspected: int = 0


class PrivacyReport(Record, frozen=True):
    """The privacy part of a manifest. `stage` is disabled or context-and-provider.

    `blocked` counts parts of messages, `excluded` what was left out as a whole, `late` what only the last look at the
    outgoing messages withheld. `payloads` counts the requests that a host showed just before they left, the two fields
    after it what was withheld from them.
    """

    stage: str = "disabled"
    provider: str = ""
    local: bool = False
    allowed: tuple[str, ...] = ()
    inspected: int = 0
    levels: dict[str, int] = msgspec.field(default_factory=dict)
    blocked: int = 0
    excluded: int = 0
    secrets: int = 0
    late: int = 0
    payloads: int = 0
    payload_blocked: int = 0
    payload_secrets: int = 0
    warnings: tuple[str, ...] = ()
