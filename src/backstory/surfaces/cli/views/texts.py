"""Texts of a log behind a margin, as a person reads them.

On a terminal prose is broken between words; code, tables and what tools printed stay as they are. A pipe gets whole
lines. Neighbours: `browsing` and `querying`, which show entries; `text.charts` breaks lines.
"""

import re
import textwrap

from backstory.surfaces.cli.terminal import Terminal
from backstory.text.charts import broken, columns

MARGIN = "    "
# Longer lines are hard to read, however wide the terminal.
WIDEST = 120
PROSE = frozenset(("prompt", "message", "summary"))
_FENCES = ("```", "~~~")
_AS_IT_STANDS = ("    ", "\t", "|")
_LEAD = r"\s*(?:(?:[-*•]|\d+[.)])\s+)?"


def indented(text: str, kind: str, terminal: Terminal) -> str:
    """The text of an entry of this kind behind the margin."""
    text = text.rstrip()
    if not terminal.narrow or kind not in PROSE:
        return textwrap.indent(text, MARGIN)
    lines, fenced = [], False
    for line in text.split("\n"):
        fence = line.lstrip().startswith(_FENCES)
        fenced ^= fence
        whole = fence or fenced or line.startswith(_AS_IT_STANDS)
        lines += [MARGIN + line if line.strip() else ""] if whole else _wrapped(line, min(terminal.width, WIDEST))
    return "\n".join(lines)


def _wrapped(line: str, width: int) -> list[str]:
    """A paragraph in lines; those of a list item stand below its first word."""
    lead = re.match(_LEAD, line)
    below = MARGIN + " " * columns(lead[0] if lead else "")
    return broken(MARGIN + line.rstrip(), width, below) if line.strip() else [""]
