"""Whether a word that nobody knows is a known one with a slip in it. A usual command line needs none of this."""

from collections.abc import Iterable
from itertools import takewhile


def slip(one: str, other: str) -> bool:
    """Whether a letter too many, too few, mistaken, or two exchanged make the difference."""
    start = _shared(one, other)
    end = _shared(one[start:][::-1], other[start:][::-1])
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    return max(len(left), len(right)) == 1 or (len(left) == 2 and left == right[::-1])


def meant(word: str, known: Iterable[str]) -> str | None:
    """The first of the known words that this one is but for a slip."""
    return next((one for one in known if slip(word, one)), None)


def _shared(one: str, other: str) -> int:
    """How many letters two words begin with together."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
