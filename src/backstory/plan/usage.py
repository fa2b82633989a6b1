"""Learns from the calls an agent made by itself: samples for calibration, and prices, from what its log counted.

Such a call also carried a system prompt and tools, whose size no log tells. They are the same in two calls of one
conversation, so that the difference between the calls shows how far estimates are off. Before it: messages with their
`usage`; after it: `plan.calibrate`.
"""

from collections.abc import Iterable, Sequence

from backstory.records.base import Record
from backstory.records.budget import Prices, Sample, Usage

STEP = 2_000
_LEAST, _MOST = 0.4, 2.5
_FAILED = frozenset(("error", "aborted"))


class AnsweredCall(Record, frozen=True):
    """One answered call: what the provider counted, and the estimate of the messages before the answer."""

    seq: int
    model: str
    usage: Usage
    before: int
    stop: str | None = None


def samples(answers: Sequence[AnsweredCall], model: str) -> list[tuple[int, Sample]]:
    """Samples of one model from answers in order, each with the number of the entry that it ends with.

    A sample spans at least `STEP` estimated tokens. Its estimate is scaled to the whole call, as if system prompt and
    tools were estimated as well as the messages are; what lies far off is a call about something else and left out.
    """
    found: list[tuple[int, Sample]] = []
    first: AnsweredCall | None = None
    for answer in answers:
        if answer.model != model or answer.stop in _FAILED:
            continue
        if first is None or answer.usage.prompt <= first.usage.prompt:
            first = answer
            continue
        estimated, actual = answer.before - first.before, answer.usage.prompt - first.usage.prompt
        if estimated < STEP:
            continue
        if _LEAST <= actual / estimated <= _MOST:
            found.append((answer.seq, _sample(answer.usage, estimated, actual)))
        first = answer
    return found


def prices(usages: Iterable[Usage]) -> Prices:
    """The newest price of each kind that a log states, from usages in order."""
    known: dict[str, float] = {}
    for usage in usages:
        if usage.prices is not None:
            stated = ((name, getattr(usage.prices, name)) for name in Prices.__struct_fields__)
            known |= {name: price for name, price in stated if price is not None}
    return Prices(**known)


def _sample(usage: Usage, estimated: int, actual: int) -> Sample:
    scaled = max(1, round(usage.prompt * estimated / actual))
    return Sample(scaled, usage.input, usage.cache_read, usage.cache_write)
