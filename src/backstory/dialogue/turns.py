"""Cuts a branch into turns: from what a person asked to just before what they asked next.

What must stay together inside and across turns is for `groups`.
"""

from collections.abc import Sequence
from itertools import pairwise

from backstory.records.base import Record
from backstory.records.node import Node
from backstory.records.session import Kind


class Turn(Record, frozen=True):
    """Positions `start` <= position < `stop`; `prompt` is False for what came before the first prompt."""

    start: int
    stop: int
    prompt: bool


def turns(nodes: Sequence[Node]) -> list[Turn]:
    """The turns of a branch, in order, without gaps. A prompt that no model sees opens none."""
    opened = [at for at, node in enumerate(nodes) if node.kind == Kind.PROMPT and node.visible]
    bounds = [*opened, len(nodes)]
    found = [Turn(start, stop, prompt=True) for start, stop in pairwise(bounds)]
    return [Turn(0, bounds[0], prompt=False), *found] if bounds[0] else found
