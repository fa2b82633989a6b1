"""The largest of many numbers, in order, without putting all of them in order."""

from collections.abc import Iterator, Sequence

_EVERY = 16  # one in so many is looked at to tell how large the largest are
_SLACK = 4


def largest(values: Sequence[float], about: int) -> Iterator[int]:
    """The places of all numbers above zero, the largest first, equal ones in order.

    Meant for those who stop somewhere near `about`: the others are put in order only when they are asked for.
    """
    sample = sorted(values[::_EVERY], reverse=True)
    place = about * 5 // (4 * _EVERY) + _SLACK
    least = max(0.0, sample[place]) if place < len(sample) else 0.0
    of = values.__getitem__
    yield from sorted([at for at, value in enumerate(values) if value > least], key=of, reverse=True)
    if least:
        yield from sorted([at for at, value in enumerate(values) if 0 < value <= least], key=of, reverse=True)
