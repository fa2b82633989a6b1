"""The one table that all figures end in."""

from collections.abc import Iterable
from typing import NamedTuple

HEADINGS = ("figure", "ours", "beside", "ratio", "goal", "")


class Row(NamedTuple):
    """One figure: what we measured, the floor or peer measured in the same run, their ratio, and the goal.

    `met` is None where nothing was promised.
    """

    figure: str
    ours: str
    beside: str = ""
    ratio: float | None = None
    goal: str = ""
    met: bool | None = None


def render(rows: Iterable[Row]) -> str:
    """The rows as a Markdown table with padded columns."""
    marks = {None: "", True: "met", False: "MISSED"}
    cells = [HEADINGS, *((r.figure, r.ours, r.beside, _short(r.ratio), r.goal, marks[r.met]) for r in rows)]
    widths = [max(len(cell) for cell in column) for column in zip(*cells, strict=True)]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in cells
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(lines)


def _short(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}x"


def ms(seconds: float) -> str:
    """Seconds as milliseconds, with as many digits as can be told apart."""
    value = seconds * 1e3
    return f"{value:.2f} ms" if value < 10 else f"{value:.0f} ms"
