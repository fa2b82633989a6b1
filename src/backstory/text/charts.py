"""Plain text for people: bars, columns, and lists that end where they get too long. No colour, no cursor movement."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

FULL, EMPTY = "█", "·"
WIDTH = 24
ELLIPSIS = "…"
_WITHOUT_WIDTH = frozenset(("Mn", "Me", "Cf"))
# Compiled where they are first used, which is in no command that asks for JSON.
_STYLE = "\x1b\\[[0-9;]*m"
_WIDE = "\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\U00020000-\U0003fffd"
_MOMENT = r"\d{4}-\d\d-\d\d \d\d:\d\d"
_GAP = r"\S {2,}(?=\S)"
_STEERING = "[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]"


def bar(part: float, whole: float, width: int = WIDTH) -> str:
    """How much of `whole` is `part`: at least one mark for what is not nothing, and the whole bar where `whole` is."""
    share = min(1.0, max(0.0, part / whole)) if whole > 0 else float(part > 0)
    filled = max(1, round(width * share)) if share > 0 else 0
    return FULL * filled + EMPTY * (width - filled)


def table(
    rows: Sequence[Sequence[str]], right: Sequence[int] = (), indent: int = 2, *, filled: bool = False
) -> list[str]:
    """Rows in columns as wide as their widest cell; the columns numbered in `right` stand to the right.

    With `filled`, blanks at the end stay, for what else is to stand there.
    """
    count = max((len(row) for row in rows), default=0)
    full = [[*row, *[""] * (count - len(row))] for row in rows]
    widths = [max(map(columns, cells)) for cells in zip(*full, strict=True)] if full else []
    lines = [_row(row, widths, right, indent) for row in full]
    return lines if filled else [line.rstrip() for line in lines]


def _row(row: Sequence[str], widths: Sequence[int], right: Sequence[int], indent: int) -> str:
    cells = []
    for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
        space = " " * (width - columns(cell))
        cells.append(space + cell if at in right else cell + space)
    return " " * indent + "  ".join(cells)


def columns(text: str) -> int:
    """Cells of a terminal that a text takes: two for wide letters, none for marks that combine or only join others."""
    if text.isascii():
        return len(text)
    return sum(map(_cells, text))


def _cells(sign: str) -> int:
    return 0 if unicodedata.category(sign) in _WITHOUT_WIDTH else 1 + (unicodedata.east_asian_width(sign) in "WF")


def clipped(text: str, most: int) -> str:
    """A text on one line, cut with an ellipsis where it takes more than `most` cells."""
    return beginning(" ".join(text.split()), most)


def beginning(line: str, most: int) -> str:
    """The beginning of a line as it stands, cut with an ellipsis where it takes more than `most` cells."""
    if columns(line) <= most:
        return line
    kept, used = [], 1
    for sign in line:
        used += columns(sign)
        if used > most:
            break
        kept.append(sign)
    return "".join(kept).rstrip() + ELLIPSIS


def ending(text: str, most: int) -> str:
    """A path or address, cut at its beginning where it takes more than `most` cells: its end tells more."""
    if columns(text) <= most:
        return text
    used, start = 1, len(text)
    while start and used + _cells(text[start - 1]) <= most:
        start -= 1
        used += _cells(text[start])
    return ELLIPSIS + text[start:]


def hung(line: str, width: int) -> str:
    """A line broken between words where it takes more than `width` cells; what follows hangs below its last column.

    Columns are told by gaps of two blanks or more. Words stay whole, so that paths can be copied; styles take no cells.
    """
    if _shown(line) <= width:
        return line
    bare = re.sub(_STYLE, "", line)
    lead = len(bare) - len(bare.lstrip())
    ends = [columns(bare[: gap.end()]) for gap in re.finditer(_GAP, bare)]
    hang = max((end for end in ends if 2 * end <= width), default=lead + 2)
    return "\n".join(broken(line, width, " " * hang))


def broken(text: str, width: int, later: str) -> list[str]:
    """A text in lines of at most `width` cells, those after the first behind `later`.

    Words and times stay whole, so that they can be copied; a text without blanks breaks between its wide letters.
    """
    lines, row, used = [], "", 0
    for piece in _pieces(text).findall(text):
        cells = _shown(piece)
        if row.strip() and used + cells > width:
            lines.append(row)
            row = later + piece.lstrip()
            used = _shown(row)
        else:
            row, used = row + piece, used + cells
    return [*lines, row]


def _pieces(text: str) -> re.Pattern[str]:
    """A word with the blanks before it; a wide East Asian letter is one by itself, a day and its time are one."""
    wide = any(sign >= "\u2e80" or "\u1100" <= sign <= "\u115f" for sign in {*text})
    return _with_wide_letters() if wide else _without_wide_letters()


@cache
def _with_wide_letters() -> re.Pattern[str]:
    """Takes longer to compile than all else that a search prints together."""
    return re.compile(rf"\s*(?:{_MOMENT}[^\s{_WIDE}]*|[{_WIDE}]|[^\s{_WIDE}]+)|\s+$")


@cache
def _without_wide_letters() -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{_MOMENT}\S*|\S+)|\s+$")


def _shown(text: str) -> int:
    return columns(re.sub(_STYLE, "", text)) if "\x1b" in text else columns(text)


def bounded(lines: Sequence[str], most: int, more: str = "more lines") -> list[str]:
    """At most `most` lines; the last one then says how many were left off."""
    if len(lines) <= most:
        return list(lines)
    return [*lines[: most - 1], f"  {ELLIPSIS} {len(lines) - most + 1:,} {more}"]


def plain(text: str) -> str:
    """A text without signs that steer a terminal, turn its direction, or cannot be written."""
    return re.sub(_STEERING, "\ufffd", text)
