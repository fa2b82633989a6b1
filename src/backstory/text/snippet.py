"""Cuts a short, plain piece out of a text, around the place where a query matches best; pure."""

from collections.abc import Sequence

from backstory.text.beginnings import begun
from backstory.text.locate import lowered

LENGTH = 240


def snippet(text: str, needles: Sequence[str], words: Sequence[str], length: int = LENGTH) -> str:
    """At most `length` code points, blanks collapsed, `…` at a cut end.

    The window starts a third before the first needle found literally, else in either case, else where most different
    words stand close together. Words match at their start, case-insensitively, and without accents where none is found
    as it is.
    """
    at = _first(text, needles)
    if at is None and needles:
        at = _first(lowered(text), list(map(lowered, needles)))
    if at is None:
        at = _densest(text, words, length)
    return _window(text, at, length)


def _first(text: str, needles: Sequence[str]) -> int | None:
    return next((found for needle in needles if (found := text.find(needle)) >= 0), None)


def _densest(text: str, words: Sequence[str], length: int) -> int:
    found = list(filter(None, begun(text, {*words} - {""})))
    if len(found) <= 1:
        return found[0][0] if found else 0
    places = sorted([(at, number) for number, each in enumerate(found) for at in each])
    best, best_at = 0, places[0][0]
    first = 0
    inside = [0] * len(found)
    different = 0
    for at, number in places:
        different += not inside[number]
        inside[number] += 1
        while at - places[first][0] > length * 2 // 3:
            left = places[first][1]
            inside[left] -= 1
            different -= not inside[left]
            first += 1
        if different > best:
            best, best_at = different, places[first][0]
            if best == len(found):
                break
    return best_at


def _window(text: str, at: int, length: int) -> str:
    start = _begins_word(text, max(at - length // 3, 0), at)
    cut_before = start > 0
    body = " ".join(text[start : start + length * 2].split())
    if len(body) <= length and start + length * 2 < len(text):
        body = " ".join(text[start : start + length * 4].split())
    cut_after = start + length * 4 < len(text) or len(body) > length - cut_before
    room = length - cut_before - cut_after
    body = _ends_word(body, max(room, 0)).strip()
    return f"{'…' if cut_before else ''}{body}{'…' if cut_after else ''}"


def _begins_word(text: str, start: int, at: int) -> int:
    """The first place from `start` on, before `at`, where a word begins; `start` itself when none does."""
    if not start or start == at or text[start - 1].isspace():
        return start
    if text[start].isspace():
        return start + 1
    end = start + len(text[start:at].split(maxsplit=1)[0])
    return end + 1 if end < at else start


def _ends_word(text: str, room: int) -> str:
    """The beginning of a text within `room`, up to the end of a word where one ends in its last third."""
    if len(text) <= room:
        return text
    whole = text[: room + 1].rpartition(" ")[0]
    return whole if len(whole) >= room * 2 // 3 else text[:room]


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
