"""Cuts a short, plain piece out of a text, around the place where a query matches best; pure."""

import re
from collections.abc import Sequence
from functools import lru_cache

LENGTH = 240
_BLANKS = re.compile(r"\s+")
_MOST_PLACES = 400


def snippet(text: str, needles: Sequence[str], words: Sequence[str], length: int = LENGTH) -> str:
    """At most `length` code points, blanks collapsed, `…` at a cut end.

    The window starts a third before the first needle found literally, else where most different words stand close
    together. Words match at their start, case-insensitively.
    """
    at = next((found for needle in needles if (found := text.find(needle)) >= 0), None)
    if at is None:
        at = _densest(text, words, length)
    return _window(text, at, length)


def _densest(text: str, words: Sequence[str], length: int) -> int:
    pattern = _beginning(tuple(filter(None, words)))
    if pattern is None:
        return 0
    places = []
    for found in pattern.finditer(text):
        places.append((found.start(), found.group(1).lower()))
        if len(places) >= _MOST_PLACES:
            break
    best, best_at = 0, places[0][0] if places else 0
    first = 0
    for last, (end, _) in enumerate(places):
        while end - places[first][0] > length * 2 // 3:
            first += 1
        different = len({word for _, word in places[first : last + 1]})
        if different > best:
            best, best_at = different, places[first][0]
    return best_at


@lru_cache(maxsize=8)
def _beginning(words: tuple[str, ...]) -> re.Pattern[str] | None:
    """Where a word begins with one of `words`; one pattern serves all snippets of a page."""
    stems = sorted(map(re.escape, words), key=len, reverse=True)
    return re.compile("(?<![^\\W_])(" + "|".join(stems) + ")", re.IGNORECASE) if stems else None


def _window(text: str, at: int, length: int) -> str:
    start = max(at - length // 3, 0)
    raw = text[max(start - 1, 0) : start + length * 4]
    cut_before = start > 0
    body = _BLANKS.sub(" ", raw[1:] if cut_before else raw).strip()
    cut_after = start + length * 4 < len(text) or len(body) > length - cut_before
    room = length - cut_before - cut_after
    body = body[: max(room, 0)].strip()
    return f"{'…' if cut_before else ''}{body}{'…' if cut_after else ''}"


def around(text: str, at: int, length: int = LENGTH) -> str:
    """At most `length` code points of the text around offset `at`, blanks collapsed.

    A text that fits is given whole. Else the piece starts a third before `at`, or earlier so that it ends with the
    text; `…` stands at a cut end and is counted.
    """
    before = " ".join(text[:at].split())
    gap = at > 0 and bool(before) and text[at - 1].isspace()
    plain = " ".join(text.split())
    if len(plain) <= length:
        return plain
    if length < 3:
        return "…"
    start = max(len(before) + gap - length // 3, 0)
    mark = "…" if start else ""
    if start + length - len(mark) >= len(plain):
        return "…" + plain[len(plain) - length + 1 :]
    return f"{mark}{plain[start : start + length - len(mark) - 1]}…"
