"""What the planner is given and what it decides. Positions are indices into the native list of one model call."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta as Help

from backstory.records.base import Record
from backstory.records.budget import Budget, Share


class Item(Record, frozen=True, gc=False):
    """One native message without its content; `hash` identifies that content, `empty` says that there is none."""

    tokens: int
    role: str
    entry_id: str | None = None
    seq: int | None = None
    kind: str = "message"
    calls: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()
    level: str = "normal"
    hash: str | None = None
    empty: bool = False


class Group(Record, frozen=True, gc=False):
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
    """Settings of the cache-aware tail.

    `off` lets the tail slide with every message, `steady` moves its start seldom, `auto` does so where cached input is
    known to be cheap, and lets the tail grow where prices and observed cache use show that this pays.
    """

    mode: Annotated[
        Literal["off", "steady", "auto"], Help(description="how the start of the tail moves from call to call")
    ] = "auto"
    steady_ratio: Annotated[
        float, Help(ge=1, description="auto: price of new input over cached from which the start moves seldom")
    ] = 4.0
    hold: Annotated[
        bool,
        Help(description="with a start that moves seldom: keep card and excerpts, and their place, until it moves"),
    ] = False
    minimum_samples: Annotated[int, Help(ge=0, description="auto: answered calls needed first")] = 3
    minimum_read_share: Annotated[Share, Help(description="auto: share of input that came from the cache")] = 0.5
    minimum_ratio: Annotated[float, Help(ge=0, description="auto: price of new input over that of cached")] = 20.0
    minimum_improvement: Annotated[Share, Help(description="auto: how much cheaper a longer tail must be")] = 0.1
    budget_share: Annotated[Share, Help(description="auto: share of the budget that a longer tail may take")] = 0.5
    requests_per_turn: Annotated[int, Help(ge=1, description="auto: calls expected in a turn")] = 4
    turns_per_epoch: Annotated[int, Help(ge=1, description="auto: turns expected between two moves")] = 4
    stickiness: Annotated[int, Help(ge=1, description="auto: comparisons lost in a row before it is dropped")] = 2


class CacheState(Record, frozen=True):
    """What is remembered from call to call of one session: whether the longer tail is used, and how it fared."""

    adopted: bool = False
    losses: int = 0


class PlanInput(Record, frozen=True):
    """All that a plan depends on.

    `fixed` are the tokens of the system prompt and the tools, `pinned` the positions of entries that a person labelled
    as pinned. `tail` overrides the tail's limit, and the tail starts no earlier than the entry `keep_from`. Card and
    excerpts stand before the message at `anchor`, if that is in the plan, instead of before the request.
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
    anchor: int | None = None


class Included(Record, frozen=True, gc=False):
    """One message of the plan, in sending order: `position` of a native one, or `supplement` index of a synthetic."""

    kind: str
    group: str
    tokens: int
    reason: str
    position: int | None = None
    supplement: int | None = None


class Excluded(Record, frozen=True, gc=False):
    """Something that stays out: a group, the older part of one, or a supplement."""

    kind: str
    group: str
    tokens: int
    reason: str
    messages: int = 1
    positions: tuple[int, ...] = ()
    supplement: int | None = None


class CacheReport(Record, frozen=True):
    """Numbers about the provider's prefix cache: what of this call it may reuse, and what the call costs in dollars.

    `mode` is that of the settings, `steady` says that the tail's start moves seldom; `eligible` and what follows up to
    `losses` concern a longer tail. `new` and `cached` are
    the two parts of `cost`; all three are None where a price is not known. `as_new` says that what may be reused is
    counted at the price of new input, as none is known for it.
    """

    mode: str = "off"
    steady: bool = False
    eligible: bool = False
    extended: bool = False
    candidate: str = "nominal"
    tail: int = 0
    ratio: float | None = None
    share: float | None = None
    samples: int = 0
    losses: int = 0
    reusable: int = 0
    cost: float | None = None
    new: float | None = None
    cached: float | None = None
    reasons: tuple[str, ...] = ()
    as_new: bool = False


class Plan(Record, frozen=True):
    """The decision. `mode` is managed, degraded (bounded to what must be there) or native (undecided)."""

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
        return tuple([item.position for item in self.included if item.position is not None])
