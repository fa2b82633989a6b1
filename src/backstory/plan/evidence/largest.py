"""The largest of many numbers, in order, without putting all of them in order."""

from collections.abc import Iterator, Sequence
from heapq import nlargest

_EVERY = 16  # one in so many is looked at to tell how large the largest are
_SLACK = 4
_STRETCH = 64  # the largest of so many is looked at first: most stretches then hold none of the best


class Largest:
    """The places of all numbers above zero, the largest first, equal ones in order; they can be gone through again.

    Meant for those who stop somewhere near `about`: the others are put in order only when they are asked for.
    """

    def __init__(self, values: Sequence[float], about: int) -> None:
        self._values = values
        self._least = max(0.0, _below(values, about))
        self._first = self._ordered([at for at, value in enumerate(values) if value > self._least])
        self._others: list[int] | None = None if self._least else []

    def __iter__(self) -> Iterator[int]:
        yield from self._first
        if self._others is None:
            self._others = self._ordered([at for at, value in enumerate(self._values) if 0 < value <= self._least])
        yield from self._others

    def _ordered(self, places: list[int]) -> list[int]:
        return sorted(places, key=self._values.__getitem__, reverse=True)


def rank(values: Sequence[float], place: int) -> float:
    """The number at a place, from 1, in the order from the largest to the smallest."""
    least = _below(values, place)
    found = [value for value in values if value > least]
    return sorted(found if len(found) >= place else values)[-place]


def best(values: Sequence[float], most: int) -> list[int]:
    """The places of at most so many numbers above zero, few of many: the largest first, equal ones in order."""
    starts = range(0, len(values), _STRETCH)
    tops = [max(values[start : start + _STRETCH]) for start in starts]
    least = nlargest(most, tops)[-1] if len(tops) >= most else 0.0
    found = [
        at
        for start, top in zip(starts, tops, strict=True)
        if top >= least
        for at, value in enumerate(values[start : start + _STRETCH], start)
        if value >= least and value > 0
    ]
    return sorted(found, key=values.__getitem__, reverse=True)[:most]


def _below(values: Sequence[float], about: int) -> float:
    """A number below which the largest `about` of them hardly reach; 0 when there are hardly more."""
    sample = sorted(values[::_EVERY], reverse=True)
    place = about * 5 // (4 * _EVERY) + _SLACK
    return sample[place] if place < len(sample) else 0.0
