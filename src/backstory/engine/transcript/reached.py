"""The branch of a session that a call was last led to, and what follows from it: who spoke, in which turn.

It goes on from where it stood as long as the branch only grew. How a branch is found is for `dialogue.way`.
"""

from collections.abc import Sequence

from backstory.dialogue.way import Way
from backstory.records.located import Located
from backstory.records.session import Kind

VOICES = {
    Kind.PROMPT: "user",
    Kind.MESSAGE: "assistant",
    Kind.TOOL_CALL: "call",
    Kind.TOOL_RESULT: "result",
    Kind.COMMAND: "user",
    Kind.MEMORY: "extension",
}


class Reached:
    """A branch by the positions of its entries, compacted parts included.

    `spoken` are the positions of those that somebody said, `turns` the number of the user turn, from 1, of each
    position, `seqs` and `ids` their sequence numbers and native ids.
    """

    def __init__(self) -> None:
        self._way = Way()
        self.positions: list[int] = []
        self._clear()

    def _clear(self) -> None:
        self.spoken: list[int] = []
        self.turns: dict[int, int] = {}
        self.seqs: list[int] = []
        self.ids: set[str] = set()
        self._turn = 0

    @property
    def leaf(self) -> int | None:
        """The position that the branch was led to."""
        return self._way.leaf

    @property
    def seen(self) -> list[int]:
        """The positions of what a call at the leaf sees by the rules of its agent."""
        return self._way.seen

    def lead(self, entries: Sequence[Located], leaf: int | None, *, shape: str, rules: str) -> None:
        """Lead the branch to a leaf."""
        self._way.reach(entries, leaf, shape=shape, rules=rules)
        path = self._way.path
        if path is self.positions:
            return
        known = len(self.positions)
        if path[:known] != self.positions:
            known = 0
            self._clear()
        for at in path[known:]:
            entry = entries[at]
            self._turn += entry.kind == Kind.PROMPT and entry.visible
            self.turns[at] = self._turn
            self.seqs.append(entry.seq)
            if entry.entry_id:
                self.ids.add(entry.entry_id)
            if entry.size and entry.kind in VOICES:
                self.spoken.append(at)
        self.positions = path
