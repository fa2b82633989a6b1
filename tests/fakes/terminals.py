"""Terminals that write nowhere."""

import io

from backstory.surfaces.cli.terminal import Terminal


def terminal(width: int | None) -> Terminal:
    """A terminal of a width; None is a pipe."""
    made = Terminal(io.StringIO(), io.StringIO(), {})
    made.narrow = width is not None
    made.width = width or made.width
    return made
