"""What each value of a working set is worth to a request: how often and recently it was used, and near what.

The nearness is BM25 over passages of about 600 characters, for the words of the request and, weighted less, of the
user turn before it; a value takes the best passage that holds it. Words in camel case or with underscores count as
their parts too. Only relative size matters, so worth has no unit.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from itertools import repeat
from operator import truediv

import msgspec

from backstory.plan.evidence.working import WorkingSet
from backstory.text.accents import stopword

_WORD = re.compile(r"[A-Za-z_$][\w$-]{2,}|\d{2,}")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_PREVIOUS, _PREVIOUS_CHARS = 0.3, 8_000
_MOST_TERMS, _MOST_HITS, _TF_CAP = 40, 2_000, 3
_K1, _B, _NEARNESS = 1.2, 0.75, 10.0
_NOTHING = -1  # stands in every passage


def terms(request: str, previous: str = "") -> dict[str, float]:
    """Lower-case query terms and their weights, the heaviest forty."""
    found: dict[str, float] = {}
    for text, weight in ((request, 1.0), (previous[:_PREVIOUS_CHARS], _PREVIOUS)):
        counts: dict[str, int] = {}
        for word in _WORD.findall(text):
            for term in {word.lower(), *(part.lower() for part in _PART.findall(word) if len(part) > 2)}:
                if not stopword(term):
                    counts[term] = counts.get(term, 0) + 1
        for term, count in counts.items():
            found[term] = max(found.get(term, 0.0), weight * math.sqrt(min(count, _TF_CAP)))
    ranked = sorted(found.items(), key=lambda pair: (-pair[1], -len(pair[0]), pair[0]))
    return dict(ranked[:_MOST_TERMS])


class HeldValues(msgspec.Struct):
    """Which values stand in a passage with some of the `terms`, among the first `count` passages.

    `sizes` has, by the bits of those terms, the first one's being the lowest, the length of the shortest such passage
    for each value: of passages with the same terms the shortest is worth most. `counts` are the passages of each term.
    """

    terms: tuple[str, ...] = ()
    count: int = 0
    counts: list[int] = msgspec.field(default_factory=list)
    sizes: dict[int, dict[int, int]] = msgspec.field(default_factory=dict)


def nearness(
    working: WorkingSet, wanted: Mapping[str, float], until: int, held: HeldValues | None = None
) -> dict[int, float]:
    """By the id of a value the BM25 of the best passage that holds it, as a share of the best of all; zeros left out.

    Passages are those before the entry at position `until`. A term counts once a passage. One that stands in very many
    passages tells nothing and is passed over. `held` goes from call to call, so that only new passages are looked at.
    """
    count = bisect_left(working.passage_entry, until)
    if not count or not wanted:
        return {}
    hits = [working.words.holding(term, count, _MOST_HITS) for term in wanted]
    held = HeldValues() if held is None else held
    _gather(held, working, tuple(wanted), hits, count)
    gains = [
        weight * math.log(1 + (count - len(found) + 0.5) / (len(found) + 0.5)) if found else 0.0
        for weight, found in zip(wanted.values(), hits, strict=True)
    ]
    average = max(1.0, working.passage_end[count - 1] / count)
    divisors = {
        size: 1 + _K1 * (1 - _B + _B * size / average)
        for size in set[int]().union(*[sizes.values() for sizes in held.sizes.values()])
    }
    near: dict[int, float] = {}
    known = near.get
    for bits, sizes in held.sizes.items():
        score = 0.0
        for number, gain in enumerate(gains):
            if bits >> number & 1:
                score += gain
        for id_, size in sizes.items():
            share = score / divisors[size]
            if share > known(id_, 0.0):
                near[id_] = share
    best = near.pop(_NOTHING, 0.0)
    return dict(zip(near, map(truediv, near.values(), repeat(best)), strict=True)) if best else {}


def _gather(
    held: HeldValues, working: WorkingSet, terms: tuple[str, ...], hits: Sequence[Sequence[int]], count: int
) -> None:
    """Take in the passages up to `count`, from the first one on when the terms are others or the edge went back.

    The bits of a term that tells nothing any more stay, and are worth nothing.
    """
    if held.terms != terms or held.count > count:
        held.terms, held.counts, held.sizes = terms, [0] * len(terms), {}
    fresh: dict[int, int] = {}
    known = fresh.get
    for number, found in enumerate(hits):
        bit = 1 << number
        for passage in found[held.counts[number] :]:
            fresh[passage] = known(passage, 0) | bit
    lengths, passages, all_sizes = working.passage_length, working.passages, held.sizes
    for passage, bits in fresh.items():
        size, sizes = lengths[passage], all_sizes.setdefault(bits, {})
        for id_ in (_NOTHING, *passages[passage]):
            if size < sizes.setdefault(id_, size):
                sizes[id_] = size
    held.count, held.counts = count, list(map(len, hits))


def worth(working: WorkingSet, near: Mapping[int, float], until: int) -> list[float]:
    """The worth of every value by its id; 0 where it was said at or after the entry at position `until`."""
    root, found = working.root, list(working.root)
    for id_, share in near.items():
        found[id_] = root[id_] * (1 + _NEARNESS * share)
    for id_ in set[int]().union(*working.passages[bisect_left(working.passage_entry, until) :]):
        found[id_] = 0.0
    return found


def said_in(working: WorkingSet, texts: Iterable[str]) -> set[int]:
    """Ids of the values that stand in any of some other texts, such as the request itself."""
    found = (working.ids.get(value) for text in texts for value in working.within(text))
    return {id_ for id_ in found if id_ is not None}
