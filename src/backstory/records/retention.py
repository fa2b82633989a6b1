"""The retention measurement: how many exact values that an agent goes on to use are still in its planned context."""

from typing import Annotated

from msgspec import Meta as Help

from backstory.records.base import Record
from backstory.records.session_name import SESSION


class RetentionRequest(Record, frozen=True, kw_only=True):
    """Measure how many of the exact values an agent used next a plan would have kept."""

    session: Annotated[tuple[str, ...], SESSION] = ()
    budget: Annotated[tuple[int, ...], Help(description="message budgets to measure, in tokens")] = (
        16_000,
        32_000,
        64_000,
    )
    share: Annotated[float, Help(description="share of the budget for card and excerpts")] = 0.25
    limit: Annotated[int, Help(description="sessions to measure, 1 to 100000, the latest first")] = 200
    no_sync: Annotated[bool, Help(description="do not look for new entries first")] = False


class Recall(Record, frozen=True):
    """One way to fill a budget.

    `micro` is over all values, `macro` the mean over decision points, `text` the macro over values found in real text
    (a bare name on the card does not count), `net` over all reused values, in the tail or not.
    """

    name: str
    micro: float | None
    macro: float | None
    text: float | None
    net: float | None
    kinds: dict[str, float]


class BudgetRetention(Record, frozen=True):
    """All ways at one budget. `values` were said only before the full tail, at `points` decision points."""

    budget: int
    points: int
    values: int
    ways: tuple[Recall, ...]


class RetentionReport(Record, frozen=True):
    """What was measured, over how many sessions and decision points; `warnings` say why nothing was."""

    sessions: int
    points: int
    budgets: tuple[BudgetRetention, ...]
    share: float
    warnings: tuple[str, ...] = ()
