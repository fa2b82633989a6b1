"""Which known words one that nobody knows may stand for. A usual command line needs none of this."""

from collections.abc import Callable, Iterable
from difflib import get_close_matches
from itertools import takewhile

SHORTEST, MOST, ALIKE = 3, 3, 0.7


def slip(one: str, other: str) -> bool:
    """Whether a letter too many, too few, mistaken, or two exchanged make the difference."""
    start = _shared(one, other)
    end = _shared(one[start:][::-1], other[start:][::-1])
    left, right = one[start : len(one) - end], other[start : len(other) - end]
    return max(len(left), len(right)) == 1 or (len(left) == 2 and left == right[::-1])


def meant(word: str, known: Iterable[str]) -> str | None:
    """The first of the known words that this one is but for a slip."""
    return next((one for one in known if slip(word, one)), None)


def alike(name: str, known: Iterable[str]) -> list[str]:
    """At most three of the known names, of one word or two, that a name may stand for; of several kinds the likeliest.

    A slip in the name; its beginning; one of its words, as `explain` for `manifest explain`; else what looks like it.
    """
    names = list(known)
    last = name.rpartition(" ")[2].lower()
    wanted = name.lower()
    kinds: tuple[Callable[[str], bool], ...] = (
        lambda one: one == wanted or slip(wanted, one),
        lambda one: len(wanted) >= SHORTEST and one.startswith(wanted),
        lambda one: last in one.split(),
        lambda one: len(last) >= SHORTEST and any(slip(last, word) for word in one.split()),
    )
    found = next((held for kind in kinds if (held := [one for one in names if kind(one)])), None)
    return (found or get_close_matches(wanted, names, MOST, ALIKE))[:MOST]


def _shared(one: str, other: str) -> int:
    """How many letters two words begin with together."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
