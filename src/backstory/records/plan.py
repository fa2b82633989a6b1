"""What the planner is given and what it decides. Positions are indices into the native list of one model call."""

import msgspec

from backstory.records.base import Record
from backstory.records.budget import Budget


class Item(Record, frozen=True):
    """One native message without its content; `hash` identifies that content."""

    tokens: int
    role: str
    entry_id: str | None = None
    seq: int | None = None
    kind: str = "message"
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    level: str = "normal"
    hash: str | None = None


class Group(Record, frozen=True):
    """Native messages that are sent together or not at all: a turn, a summary, or a prefix that belongs to no turn.

    `id` names its first and last position.
    """

    kind: str
    members: tuple[int, ...]
    tokens: int
    id: str


class Supplement(Record, frozen=True):
    """One synthetic message that may be added: pin, memory, card, excerpt, retrieval or project.

    `sources` are the entries or files it quotes; without any it is never sent.
    """

    id: str
    kind: str
    text: str
    tokens: int
    sources: tuple[str, ...]
    score: float = 0.0
    level: str = "normal"
    reason: str = ""


class CachePolicy(Record, frozen=True):
    """Settings of the cache-aware tail; shares are between 0 and 1."""

    mode: str = "off"
    minimum_samples: int = 3
    minimum_read_share: float = 0.5
    minimum_ratio: float = 20.0
    minimum_improvement: float = 0.1
    budget_share: float = 0.5
    requests_per_turn: int = 4
    turns_per_epoch: int = 4
    stickiness: int = 2


class CacheState(Record, frozen=True):
    """What is remembered from call to call of one session: the hashes last sent and how the longer tail fared."""

    hashes: tuple[str, ...] = ()
    start: str | None = None
    adopted: bool = False
    losses: int = 0


class PlanInput(Record, frozen=True):
    """All that a plan depends on.

    `fixed` are the tokens of the system prompt and the tools, `pinned` the positions of entries that a person labelled
    as pinned. `tail` overrides the tail's limit, and the tail starts no earlier than the entry `keep_from`.
    """

    items: tuple[Item, ...]
    groups: tuple[Group, ...]
    budget: Budget
    supplements: tuple[Supplement, ...] = ()
    fixed: int = 0
    pinned: tuple[int, ...] = ()
    placement: str = "latest-user"
    rescue: bool = True
    tail: int | None = None
    keep_from: str | None = None


class Included(Record, frozen=True):
    """One message of the plan, in sending order: `position` of a native one, or `supplement` index of a synthetic."""

    kind: str
    group: str
    tokens: int
    reason: str
    score: float
    position: int | None = None
    supplement: int | None = None


class Excluded(Record, frozen=True):
    """Something that stays out: a group, the older part of one, or a supplement."""

    kind: str
    group: str
    tokens: int
    reason: str
    messages: int = 1
    positions: tuple[int, ...] = ()
    supplement: int | None = None


class CacheReport(Record, frozen=True):
    """Numbers about the provider's prefix cache: what of this call it may reuse, and what the call costs in dollars."""

    eligible: bool = False
    extended: bool = False
    candidate: str = "nominal"
    tail: int = 0
    ratio: float | None = None
    share: float | None = None
    samples: int = 0
    reusable: int = 0
    cost: float | None = None
    reasons: tuple[str, ...] = ()


class Plan(Record, frozen=True):
    """The decision. `mode` is managed, degraded (bounded, without supplements) or native (nothing could be decided)."""

    mode: str
    included: tuple[Included, ...]
    excluded: tuple[Excluded, ...]
    tokens: int
    fixed: int
    hard: int
    target: int
    tail: int
    original_tokens: int
    original_messages: int
    rescued: bool = False
    split: bool = False
    oversized: int = 0
    reason: str | None = None
    warnings: tuple[str, ...] = msgspec.field(default=())

    @property
    def positions(self) -> tuple[int, ...]:
        """Native messages in sending order."""
        return tuple(item.position for item in self.included if item.position is not None)
