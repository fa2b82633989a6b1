"""Chooses the ranges of ranked files that fit a token budget: cards, each a file's best ranges in line order.

Card k gets a share of the budget proportional to its file's score ** 1.5 / (k + 1); what it leaves goes to the next.
Inside a card chunks are taken by score, those named by symbol or line first, until the share is spent; neighbours
become one range. Pure.
"""

from collections.abc import Sequence
from itertools import accumulate

import msgspec

from backstory.retrieve.project.ranking import RankedSource

CARDS = 8
RANGE_TOKENS = 48
SMALLEST_SHARE = 64
SHARPNESS, LEAST_SCORE = 1.5, 0.001
# Files begin with their imports, which many changes touch: the first chunk gains so much of what the best one scores.
OPENING = 0.2


class Range(msgspec.Struct, frozen=True):
    """Lines of one file, 1-based and inclusive, the chunk that earned them their place, and their bytes where known."""

    start: int
    end: int
    chunk: int
    begin: int = 0
    stop: int = 0


class FileCard(msgspec.Struct):
    """One file of the answer with its ranges in line order."""

    source: RankedSource
    ranges: list[Range]


def cards(ranked: Sequence[RankedSource], budget: int, most: int = CARDS) -> list[FileCard]:
    """The cards of the first `most` files; a file none of whose chunks fits is passed over, as is an equal copy."""
    distinct = {source.fact.hash: source for source in reversed(ranked) if source.chunks}
    chosen = [source for source in ranked if distinct.get(source.fact.hash) is source][:most]
    weights = _weights(chosen)
    left = budget
    found = []
    for place, source in enumerate(chosen):
        share = left * weights[place] / sum(weights[place:])
        picked, spent = _picked(source, min(left, max(int(share), SMALLEST_SHARE)))
        if picked:
            found.append(FileCard(source, ranges(source, picked)))
            left -= spent
    return found


def _weights(chosen: Sequence[RankedSource]) -> list[float]:
    """What share of the budget each file gets, in relation to the others; never less than one after it."""
    worth = [*accumulate((max(source.score, LEAST_SCORE) for source in reversed(chosen)), max)][::-1]
    return [score**SHARPNESS / (place + 1) for place, score in enumerate(worth)]


def _picked(source: RankedSource, share: int) -> tuple[list[int], int]:
    """Indexes of the chunks that fit, and the tokens they take with the cost of their boundaries."""
    scores = [source.scores[0] + OPENING * max(source.scores), *source.scores[1:]]
    order = sorted(range(len(source.chunks)), key=scores.__getitem__, reverse=True)
    if source.focus:
        order.sort(key=lambda index: index not in source.focus)
    picked: set[int] = set()
    spent, least = 0, min(chunk.tokens for chunk in source.chunks)
    for index in order:
        if spent + least > share:
            break
        cost = source.chunks[index].tokens
        if not (index - 1 in picked or index + 1 in picked):
            cost += RANGE_TOKENS
        if spent + cost <= share:
            picked.add(index)
            spent += cost
    return sorted(picked), spent


def ranges(source: RankedSource, picked: Sequence[int]) -> list[Range]:
    """The lines of picked chunks; chunks that touch or overlap become one range led by the better of them."""
    found: list[Range] = []
    for index in picked:
        chunk = source.chunks[index]
        last = found[-1] if found else None
        if last is not None and chunk.start <= last.end + 1:
            lead = index if _worth(source, index) > _worth(source, last.chunk) else last.chunk
            found[-1] = Range(last.start, max(last.end, chunk.end), lead, last.begin, max(last.stop, chunk.stop))
        else:
            found.append(Range(chunk.start, chunk.end, index, chunk.begin, chunk.stop))
    return found


def _worth(source: RankedSource, index: int) -> tuple[bool, float]:
    return index in source.focus, source.scores[index]
