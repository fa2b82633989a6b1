"""Draws a session as text: one entry per line, `kind id parent`, then marks.

Kinds are letters: p prompt, m message, c call, r result, s summary, y system, t state, e edit, x memory. A parent of
`-` is none. Marks: `hidden`, `side`, `calls=x,y`, and an operation with its target such as `compact=b` or `reset`.
"""

from backstory.records.node import Node
from backstory.records.session import OPS, Kind, Surface

KINDS = {
    "p": Kind.PROMPT,
    "m": Kind.MESSAGE,
    "c": Kind.TOOL_CALL,
    "r": Kind.TOOL_RESULT,
    "s": Kind.SUMMARY,
    "y": Kind.SYSTEM,
    "t": Kind.STATE,
    "e": Kind.EDIT,
    "x": Kind.MEMORY,
}
SHORT = {Surface.CURRENT: "+", Surface.SHADOWED: "-", Surface.LOG_ONLY: "."}


def draw(text: str) -> list[Node]:
    lines = [line.split() for line in text.strip().splitlines()]
    return [_node(seq, *words) for seq, words in enumerate(lines)]


def _node(seq: int, kind: str, id_: str, parent: str, *marks: str) -> Node:
    options = dict(mark.partition("=")[::2] for mark in marks)
    op = next((op for op in OPS if op in options), None)
    return Node(
        seq=seq,
        kind=KINDS[kind],
        visible="hidden" not in options,
        entry_id=None if id_ == "-" else id_,
        parent_id=None if parent == "-" else parent,
        sidechain="side" in options,
        op=op,
        target=options[op] or None if op else None,
        call_ids=tuple(options["calls"].split(",")) if "calls" in options else (),
    )


def ids(nodes: list[Node], positions: list[int]) -> str:
    """The ids at these positions, as one word."""
    return "".join(str(nodes[at].entry_id) for at in positions)


def shown(folded: list[str]) -> str:
    """One sign per entry: + current, - shadowed, . log-only."""
    return "".join(SHORT[surface] for surface in folded)
