"""The surfaces of a session as it grows: told entry by entry while its tip can tell, provisional once it cannot.

Rules are in `surface`; where nodes and surfaces are kept is for `index` to say, in the database and for live sessions.
"""

from collections.abc import Sequence

from backstory.dialogue import surface
from backstory.records.node import Node, Tip
from backstory.records.session import Surface


class Growing:
    """What has to be remembered of a session to classify its next entry: the tip, None once it must be folded again."""

    def __init__(self, tip: Tip | None = None) -> None:
        self.tip = tip

    def take(self, node: Node, rules: str) -> str:
        """The surface of the entry that follows; provisional when something earlier has to change with it."""
        grown = surface.append(self.tip, node, rules=rules) if self.tip is not None else None
        self.tip, found = grown or (None, Surface.CURRENT if node.visible else Surface.LOG_ONLY)
        return found

    def settled(self, rules: str) -> bool:
        """Whether everything told so far holds under the session's rules; else all of it must be folded."""
        return self.tip is not None and self.tip.rules == rules

    def fold(self, nodes: Sequence[Node], *, shape: str, rules: str) -> list[str]:
        """The surface of every node of the session, which goes on from here."""
        self.tip = surface.tip(nodes, shape=shape, rules=rules)
        return surface.fold(nodes, shape=shape, rules=rules) if nodes else []
