"""Finds the comments and strings of a text, so that nothing inside them is taken for code.

It does not know declarations. Neighbours: `grammar` supplies the patterns, `outline` asks which lines are code.
"""

import re
from bisect import bisect_right

from backstory.project.symbols.grammar import Grammar

_SIGN = re.compile(r"[^\n]")


def multiline_spans(text: str, grammar: Grammar) -> list[tuple[int, int]] | None:
    """The (start, end) offsets of comments and strings that contain a line break, in order; None if one never ends.

    Every such construct shows one of the grammar's `marks`. Between marks nothing is read: the line a mark stands on
    begins in code (whatever covered its beginning would have been met before), so only that line is taken apart.
    """
    found: list[tuple[int, int]] = []
    position = 0
    while mark := grammar.marks.search(text, position):
        at = mark.start()
        cursor = max(position, text.rfind("\n", position, at) + 1)
        while cursor <= at:
            match = grammar.opaque.search(text, cursor)
            if match is None:
                return found
            if match.start() > at:
                cursor = match.start()
                break
            end = _end(text, match, grammar)
            if end < 0:
                return None
            cursor = max(end, match.start() + 1)
            if cursor > at and text.find("\n", match.start(), end) >= 0:
                found.append((match.start(), end))
        position = cursor
    return found


def all_spans(text: str, grammar: Grammar) -> list[tuple[int, int]]:
    """Every comment and string, in order; the last has end -1 when it never ends."""
    found = []
    position = 0
    while match := grammar.opaque.search(text, position):
        end = _end(text, match, grammar)
        found.append((match.start(), end))
        if end < 0:
            break
        position = max(end, match.start() + 1)
    return found


def _end(text: str, match: re.Match[str], grammar: Grammar) -> int:
    """Where a comment or string ends; -1 when it never does."""
    group = match.lastgroup
    if group is None:
        return match.end()
    if group == "special" and grammar.special is not None:
        end = grammar.special(text, match)
        return -1 if end is None else end
    return -1


def inside(spans: list[tuple[int, int]], position: int) -> bool:
    """Whether `position` lies strictly inside one of the ordered, disjoint spans."""
    index = bisect_right(spans, (position, -1)) - 1
    return index >= 0 and spans[index][0] < position < spans[index][1]


def masked(text: str, grammar: Grammar) -> str:
    """The text with every sign of its comments and strings replaced by a space; lines and offsets stay."""
    pieces: list[str] = []
    position = 0
    for start, found in all_spans("\n" + text, grammar):
        end = len(text) if found < 0 else found - 1
        begin = max(start - 1, 0)
        pieces += (text[position:begin], _SIGN.sub(" ", text[begin:end]))
        position = end
    pieces.append(text[position:])
    return "".join(pieces)
