"""Plain text for people: bars, columns, and lists that end where they get too long. No colour, no cursor movement."""

import re
import unicodedata
from collections.abc import Sequence

FULL, EMPTY = "█", "·"
WIDTH = 24
ELLIPSIS = "…"
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def bar(part: float, whole: float, width: int = WIDTH) -> str:
    """How much of `whole` is `part`; a part that is not nothing shows at least one mark."""
    share = min(1.0, max(0.0, part / whole)) if whole > 0 else 0.0
    filled = max(1, round(width * share)) if share > 0 else 0
    return FULL * filled + EMPTY * (width - filled)


def table(rows: Sequence[Sequence[str]], right: Sequence[int] = (), indent: int = 2) -> list[str]:
    """Rows in columns as wide as their widest cell; the columns numbered in `right` stand to the right."""
    count = max((len(row) for row in rows), default=0)
    full = [[*row, *[""] * (count - len(row))] for row in rows]
    widths = [max(map(columns, cells)) for cells in zip(*full, strict=True)] if full else []
    return [_row(row, widths, right, indent) for row in full]


def _row(row: Sequence[str], widths: Sequence[int], right: Sequence[int], indent: int) -> str:
    cells = []
    for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
        space = " " * (width - columns(cell))
        cells.append(space + cell if at in right else cell + space)
    return (" " * indent + "  ".join(cells)).rstrip()


def columns(text: str) -> int:
    """Cells of a terminal that a text takes: two for wide letters, none for marks that combine."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(sign) else 1 + (unicodedata.east_asian_width(sign) in "WF") for sign in text)


def clipped(text: str, most: int) -> str:
    """A text on one line, cut with an ellipsis where it takes more than `most` cells."""
    line = " ".join(text.split())
    if columns(line) <= most:
        return line
    kept, used = [], 1
    for sign in line:
        used += columns(sign)
        if used > most:
            break
        kept.append(sign)
    return "".join(kept).rstrip() + ELLIPSIS


def bounded(lines: Sequence[str], most: int, more: str = "more lines") -> list[str]:
    """At most `most` lines; the last one then says how many were left off."""
    if len(lines) <= most:
        return list(lines)
    return [*lines[: most - 1], f"  {ELLIPSIS} {len(lines) - most + 1:,} {more}"]


def plain(text: str) -> str:
    """A text without signs that steer a terminal, turn its direction, or cannot be written."""
    return _STEERING.sub("\ufffd", text)
