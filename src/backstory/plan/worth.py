"""What each value of a working set is worth to a request: how often and recently it was used, and near what.

The nearness is BM25 over passages of about 600 characters, for the words of the request and, weighted less, of the
user turn before it; a value takes the best passage that holds it. Words in camel case or with underscores count as
their parts too. Only relative size matters, so worth has no unit.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Iterable

from backstory.plan.working import HALF_LIFE, WorkingSet
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


def nearness(working: WorkingSet, wanted: dict[str, float], until: int) -> dict[int, float]:
    """The BM25 of each passage before the entry at position `until`, as a share of the best one's; zeros left out."""
    count = _passages_before(working, until)
    if not count or not wanted:
        return {}
    text, starts = _joined(working, count)
    average = max(1.0, len(text) / count)
    scores: dict[int, float] = {}
    for term, weight in wanted.items():
        hits = _hits(text, starts, term)
        if not hits:
            continue
        rarity = math.log(1 + (count - len(hits) + 0.5) / (len(hits) + 0.5))
        for passage, times in hits.items():
            stop = starts[passage + 1] if passage + 1 < count else len(text)
            length = _K1 * (1 - _B + _B * (stop - starts[passage]) / average)
            scores[passage] = scores.get(passage, 0.0) + weight * rarity * times * (_K1 + 1) / (times + length)
    best = max(scores.values(), default=0.0)
    return {passage: score / best for passage, score in scores.items()} if best > 0 else {}


def worth(working: WorkingSet, near: dict[int, float], until: int) -> dict[int, float]:
    """The worth of every value that was last said before the entry at position `until`."""
    best: dict[int, float] = {}
    ends = working.passages
    for passage, share in near.items():
        stop = ends[passage + 1] if passage + 1 < len(ends) else len(working.window_values)
        for ids in working.window_values[ends[passage] : stop]:
            for id_ in ids:
                if share > best.get(id_, 0.0):
                    best[id_] = share
    fade = 2.0 ** (-working.tokens / HALF_LIFE)
    mass, last = working.mass, working.last
    return {
        id_: math.sqrt(mass[id_] * fade) * (1 + _NEARNESS * best.get(id_, 0.0))
        for id_ in range(len(mass))
        if last[id_] < until
    }


def _passages_before(working: WorkingSet, until: int) -> int:
    entries = working.window_entry
    return bisect_right(working.passages, until - 1, key=lambda window: entries[window]) if until > 0 else 0


def _joined(working: WorkingSet, count: int) -> tuple[str, list[int]]:
    """The lower-case text of the first `count` passages, and where each of them starts in it."""
    parts: list[str] = []
    starts: list[int] = []
    length = 0
    ends = working.passages
    for passage in range(count):
        first = ends[passage]
        after = ends[passage + 1] if passage + 1 < len(ends) else len(working.window_values)
        entry = working.window_entry[first]
        piece = working.said[entry].text[working.window_start[first] : working.window_stop[after - 1]]
        starts.append(length)
        parts.append(piece)
        length += len(piece) + 1
    text = "\n".join(parts)
    lower = text.lower()
    return (lower if len(lower) == len(text) else text), starts


def _hits(text: str, starts: list[int], term: str) -> dict[int, int]:
    """How often a term stands in each passage; nothing for one that is nearly everywhere."""
    found: dict[int, int] = {}
    at, seen = text.find(term), 0
    while at >= 0:
        seen += 1
        if seen > _MOST_HITS:
            return {}
        if not text[at - 1 : at].isalpha():
            passage = bisect_right(starts, at) - 1
            found[passage] = found.get(passage, 0) + 1
        at = text.find(term, at + len(term))
    return found


def said_in(working: WorkingSet, texts: Iterable[str]) -> set[int]:
    """Ids of the values that stand in any of some other texts, such as the request itself."""
    found: set[int] = set()
    for text in texts:
        for value in working.within(text):
            id_ = working.ids.get(value)
            if id_ is not None:
                found.add(id_)
    return found
