"""What each value of a working set is worth to a request: how often and recently it was used, and near what.

The nearness is BM25 over passages of about 600 characters, for the words of the request and, weighted less, of the
user turn before it; a value takes the best passage that holds it. Words in camel case or with underscores count as
their parts too. Only relative size matters, so worth has no unit.
"""

import math
import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping
from itertools import repeat
from operator import truediv

from backstory.plan.working import WorkingSet
from backstory.text.accents import stopword

_WORD = re.compile(r"[A-Za-z_$][\w$-]{2,}|\d{2,}")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_PREVIOUS, _PREVIOUS_CHARS = 0.3, 8_000
_MOST_TERMS, _MOST_HITS, _TF_CAP = 40, 2_000, 3
_K1, _B, _NEARNESS = 1.2, 0.75, 10.0


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


def nearness(working: WorkingSet, wanted: Mapping[str, float], until: int) -> dict[int, float]:
    """The BM25 of each passage before the entry at position `until`, as a share of the best one's; zeros left out.

    A term counts once a passage. One that stands in very many passages tells nothing and is passed over.
    """
    count = bisect_left(working.passage_entry, until)
    if not count or not wanted:
        return {}
    scores: dict[int, float] = {}
    known = scores.get
    for term, weight in wanted.items():
        hits = working.words.holding(term, count, _MOST_HITS)
        if not hits:
            continue
        gain = weight * math.log(1 + (count - len(hits) + 0.5) / (len(hits) + 0.5))
        for passage in hits:
            scores[passage] = known(passage, 0.0) + gain
    ends, lengths = working.passage_end, working.passage_length
    average = max(1.0, ends[count - 1] / count)
    sizes = list(map(lengths.__getitem__, scores))
    divisors = {size: 1 + _K1 * (1 - _B + _B * size / average) for size in {*sizes}}
    found = list(map(truediv, scores.values(), map(divisors.__getitem__, sizes)))
    best = max(found, default=0.0)
    return dict(zip(scores, map(truediv, found, repeat(best)), strict=True)) if best > 0 else {}


def worth(working: WorkingSet, near: Mapping[int, float], until: int) -> list[float]:
    """The worth of every value by its id; 0 where it was said at or after the entry at position `until`."""
    passages, root, found = working.passages, working.root, list(working.root)
    nearest = [0.0] * len(root)
    touched: list[int] = []
    for passage, share in near.items():
        for id_ in passages[passage]:
            if (before := nearest[id_]) < share:
                nearest[id_] = share
                if not before:
                    touched.append(id_)
    for id_ in touched:
        found[id_] = root[id_] * (1 + _NEARNESS * nearest[id_])
    for id_ in set[int]().union(*passages[bisect_left(working.passage_entry, until) :]):
        found[id_] = 0.0
    return found


def said_in(working: WorkingSet, texts: Iterable[str]) -> set[int]:
    """Ids of the values that stand in any of some other texts, such as the request itself."""
    found = (working.ids.get(value) for text in texts for value in working.within(text))
    return {id_ for id_ in found if id_ is not None}
