"""What a model can take and what each part of a call may use of it. Sizes are tokens unless a name says otherwise."""

from typing import Annotated, Literal

from msgspec import Meta as Help

from backstory.records.base import Record

Share = Annotated[float, Help(ge=0, le=1)]
Tokens = Annotated[int, Help(ge=0)]
Price = Annotated[float, Help(ge=0)]


class Prices(Record, frozen=True):
    """US dollars per million tokens as the host states them; None where it does not say."""

    input: Price | None = None
    output: Price | None = None
    cache_read: Price | None = None
    cache_write: Price | None = None


class Usage(Record, frozen=True):
    """What a provider counted for one answer, in tokens; `prices` are what the log says these tokens cost."""

    input: int
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    prices: Prices | None = None

    @property
    def prompt(self) -> int:
        """All input, cached or not."""
        return self.input + self.cache_read + self.cache_write


class Model(Record, frozen=True):
    """A model as a host describes it. `max_output` None means unknown."""

    provider: str
    id: str
    window: int
    max_output: int | None = None
    prices: Prices = Prices()


class Override(Record, frozen=True):
    """What a person says about one model, all models of a provider, or all models; None leaves a field alone."""

    window: Annotated[int | None, Help(description="tokens of the context window")] = None
    max_output: Annotated[int | None, Help(description="most tokens of an answer")] = None
    margin: Annotated[int | None, Help(description="tokens kept free besides the answer")] = None
    tail: Annotated[int | None, Help(description="tokens of the recent tail, instead of what fits the window")] = None
    history: Annotated[int | None, Help(description="the same for earlier messages that match")] = None
    project: Annotated[int | None, Help(description="the same for project source")] = None
    estimator: Annotated[
        Literal["chars-v1", "bpe"] | None, Help(description="how tokens are counted; bpe needs backstory[bpe]")
    ] = None
    prices: Annotated[Prices | None, Help(description="US dollars per million tokens")] = None


class Profile(Record, frozen=True):
    """A model with its overrides applied. `matched` names the overrides used, least specific first."""

    provider: str
    model: str
    window: int
    margin: int
    max_output: int | None = None
    tail: int | None = None
    history: int | None = None
    project: int | None = None
    estimator: str = "chars-v1"
    prices: Prices = Prices()
    matched: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Provider, model and estimator: the name under which calibration is kept apart."""
        return f"{self.provider}/{self.model}@{self.estimator}"


class Limits(Record, frozen=True):
    """Settings that budgets are made from: shares of the window and caps of the categories.

    `card` is the share of `supplement_share` that the working-set card may fill; both are shares of the active input
    budget and bound card and coverage excerpts together.
    """

    target_fill: Annotated[Share, Help(description="share of the window that a call aims at")] = 0.7
    soft_fill: Annotated[Share, Help(description="share of the window that is the soft limit")] = 0.8
    hard_fill: Annotated[Share, Help(description="share of the window that is never passed")] = 0.9
    minimum_reserve: Annotated[Tokens, Help(description="tokens always kept for the answer")] = 8_192
    preferred_reserve: Annotated[Tokens, Help(description="tokens kept for the answer where there is room")] = 32_768
    reserve_share: Annotated[Share, Help(description="most of the window kept for the answer")] = 0.5
    tail: Annotated[Tokens, Help(description="most tokens of the recent tail")] = 64_000
    pins: Annotated[Tokens, Help(description="most tokens of pins")] = 16_000
    memory: Annotated[Tokens, Help(description="most tokens of memories")] = 8_000
    history: Annotated[Tokens, Help(description="most tokens of earlier messages that match the request")] = 16_000
    project: Annotated[Tokens, Help(description="most tokens of project source")] = 20_000
    summaries: Annotated[Tokens, Help(description="most tokens of native summaries")] = 12_000
    supplement_share: Annotated[Share, Help(description="share of the budget for card and excerpts together")] = 0.25
    card_share: Annotated[Share, Help(description="share of that for the working-set card")] = 0.5
    model_aware: Annotated[bool, Help(description="use the model's overrides, ceilings and calibration")] = True


class Bounds(Record, frozen=True):
    """Settings of the calibration: how many samples it looks at and needs, and which ratios it believes."""

    enabled: Annotated[bool, Help(description="learn from what providers counted")] = True
    window: Annotated[int, Help(ge=1, le=200, description="newest samples that are looked at")] = 24
    minimum: Annotated[int, Help(ge=1, description="samples needed before limits are corrected")] = 3
    lower: Annotated[float, Help(gt=0, description="smallest ratio that is believed")] = 0.5
    upper: Annotated[float, Help(gt=0, description="largest ratio that is believed")] = 2.0
    auto_tune: Annotated[bool, Help(description="let categories grow by an eighth where much room stays free")] = False


class Sample(Record, frozen=True):
    """One answered call: what was estimated before it and what the provider counted. `time` in ms."""

    estimated: int
    input: int
    cache_read: int = 0
    cache_write: int = 0
    time: int = 0

    @property
    def actual(self) -> int:
        """All input tokens the provider counted, cached or not."""
        return self.input + self.cache_read + self.cache_write


class Drift(Record, frozen=True):
    """The estimator is off: `kind` persistent-underestimate, persistent-overestimate or calibration-outliers."""

    kind: str
    severity: str


class Calibration(Record, frozen=True):
    """What the newest samples of one profile say. `ratio` (actual / estimated) is 1 until it is calibrated."""

    calibrated: bool = False
    ratio: float = 1.0
    median: float | None = None
    observed: int = 0
    bounded: int = 0
    accepted: int = 0
    rejected: int = 0
    outliers: int = 0
    out_of_bounds: int = 0
    high_watermark: int = 0
    read_share: float | None = None
    write_share: float | None = None
    cache_samples: int = 0
    drift: Drift | None = None


class Tuning(Record, frozen=True):
    """Whether unused room lets the categories grow: disabled, insufficient-samples, no-headroom or expanded."""

    status: str = "disabled"
    factor: float = 1.0


class Budget(Record, frozen=True):
    """The limits of one call in estimator units; `nominal_*` are the same limits before calibration."""

    window: int
    reserve: int
    margin: int
    hard: int
    soft: int
    target: int
    active: int
    tail: int
    history: int
    project: int
    pins: int
    memory: int
    summaries: int
    card: int
    excerpts: int
    ratio: float = 1.0
    samples: int = 0
    nominal_hard: int = 0
    nominal_soft: int = 0
    nominal_target: int = 0
