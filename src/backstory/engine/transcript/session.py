"""One session as planning sees it: its structure, the branch to a leaf, and what was read and worked out of it so far.

It only grows; when something earlier changed, another one is made. Everything in it can be worked out again, so two
plans are the same whether or not a transcript was there before. Who fills it, and where texts come from, is for
`engine.transcripts` to say.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import msgspec

from backstory.dialogue import branch
from backstory.dialogue.way import Way
from backstory.engine.transcript.checked import Checked
from backstory.engine.transcript.quoted import Quoted
from backstory.engine.transcript.view import View
from backstory.plan.working import WorkingSet
from backstory.records.browsing import SessionRow
from backstory.records.message import Message, ToolCall, ToolResult
from backstory.records.placed import Placed
from backstory.records.plan import Item, Supplement
from backstory.records.privacy import Destination, Policy
from backstory.records.problem import Problem
from backstory.records.session import Kind
from backstory.store.context import Text
from backstory.text import hashing

VOICES = {
    Kind.PROMPT: "user",
    Kind.MESSAGE: "assistant",
    Kind.TOOL_CALL: "call",
    Kind.TOOL_RESULT: "result",
    Kind.COMMAND: "user",
}
_SPARE = 200


class Read(NamedTuple):
    """What was read of an entry: its message and the item that stands for it, None for nothing to send.

    `longest` are the characters of its longest tool result, `calls` the tools that it calls.
    """

    message: Message | None = None
    item: Item | None = None
    longest: int = 0
    calls: tuple[str, ...] = ()


class Content(NamedTuple):
    """A message as it is sent, and the canonical JSON of its role and blocks."""

    message: Message
    blocks: list[dict[str, Any]]
    encoded: bytes


class Remembered(msgspec.Struct):
    """A working set, under which rules of privacy it was made, and the positions of the entries it was made from.

    `kept` are the number and the digest of those entries as they stand in the database. `shown` is what was made from
    it last, after what that depends on.
    """

    policy: bytes
    positions: list[int]
    working: WorkingSet
    kept: tuple[int, str] = (0, "")
    shown: tuple[tuple[object, ...], list[Supplement]] | None = None


class Transcript:
    """The entries of a session in order. Positions are indices into `entries`.

    `key` names the session in the history database, 0 when it is not there. `read` are the messages of positions,
    their items in tokens of the estimator `sized_by`; `unread` says why some could not be read the last time.
    `condensed` remembers messages that were shortened, `contents` those that were sent. `quoted` is what was read last
    to quote from. `checked` is what checking made of messages under the policy, and for the destination, that was asked
    for last.

    `branch`, `spoken` and `turns` belong to the branch that was reached last: its positions, those of entries that
    somebody said, and the number of the user turn, from 1, of each position.
    """

    def __init__(self, row: SessionRow, key: int, texts: Callable[[Sequence[int]], Sequence[Text]]) -> None:
        self.row = row
        self.key = key
        self.texts = texts
        self.shape, self.rules = "line", ""
        self.entries: list[Placed] = []
        self.pinned: frozenset[int] = frozenset()
        self.read: dict[int, Read] = {}
        self.sized_by = ""
        self.unread: dict[int, Problem] = {}
        self.view = View()
        self.way = Way()
        self.branch: list[int] = []
        self.spoken: list[int] = []
        self.turns: dict[int, int] = {}
        self.remembered: Remembered | None = None
        self.quoted = Quoted()
        self.contents: dict[int, Content] = {}
        self.condensed: dict[int, tuple[Message, object, Message, tuple[Any, ...]]] = {}
        self.checked: Checked | None = None
        self.branch_seqs: list[int] = []
        self.branch_ids: set[str] = set()
        self._guests: dict[int, tuple[Placed, Message]] = {}
        self._turn = 0
        self._ids: dict[str, int] = {}
        self._seqs: dict[int, int] = {}

    @property
    def path(self) -> str:
        """The file of the log."""
        return self.row.path

    @property
    def name(self) -> str:
        """The session as people name it."""
        return f"{self.row.source}:{self.row.session_id}"

    def know(self, row: SessionRow) -> None:
        """Let this be what is known of the session; what was quoted, and the working set, depend on its folder."""
        if row.cwd != self.row.cwd:
            self.remembered, self.quoted = None, Quoted()
        self.row = row

    def take(self, entries: Iterable[Placed]) -> None:
        """Add entries behind those taken before."""
        for at, entry in enumerate(entries, len(self.entries)):
            self.entries.append(entry)
            self._seqs[entry.seq] = at
            if entry.entry_id:
                self._ids[entry.entry_id] = at

    def label(self, labels: Iterable[tuple[str | None, str]]) -> None:
        """Let the labels of all entries be these, (entry id, text), the newest last."""
        latest = {target: text.removeprefix(target).strip() for target, text in labels if target is not None}
        pinned = {id_ for id_, text in latest.items() if text.startswith("ds4:pin")}
        found = (at for at, one in enumerate(self.entries) if one.entry_id in pinned) if pinned else ()
        self.pinned = frozenset(found)

    def guest(self, message: Message, kind: str) -> int:
        """The number of a message that stands in no log; `kind` is that of an entry."""
        digest = bytes.fromhex(hashing.of_value((kind, message)))
        key = -1 - int.from_bytes(digest[:6], "big")
        if key not in self._guests:
            calls = tuple(block.id for block in message.blocks if isinstance(block, ToolCall))
            answers = tuple(block.id for block in message.blocks if isinstance(block, ToolResult))
            what = Kind.TOOL_RESULT if answers else Kind.TOOL_CALL if calls else kind
            self._guests[key] = (
                Placed(-1, what, visible=True, call_ids=calls or answers, role=message.role, hash=digest),
                message,
            )
        return key

    def entry(self, key: int) -> Placed:
        """The entry at a position, or a guest."""
        return self.entries[key] if key >= 0 else self._guests[key][0]

    def brought(self, key: int) -> Message:
        """The message of a guest."""
        return self._guests[key][1]

    def place(self, name: str) -> Placed | None:
        """The entry of a native id or sequence number, None when there is none."""
        at = self.position(name)
        return None if at is None else self.entries[at]

    @property
    def leaf(self) -> Placed | None:
        """The entry that the branch was led to."""
        return None if self.way.leaf is None else self.entries[self.way.leaf]

    def position(self, name: str) -> int | None:
        """The entry of a native id (the last of that id) or, failing that, of a sequence number."""
        found = self._ids.get(name)
        return self._seqs.get(int(name)) if found is None and name.isdecimal() and len(name) < 20 else found

    def at(self, seq: int) -> int:
        """The position of a sequence number that is there."""
        return self._seqs[seq]

    def active(self) -> int | None:
        """The position of the leaf that the agent would go on from."""
        return branch.active_leaf(self.entries, shape=self.shape, rules=self.rules)

    def reach(self, leaf: int | None) -> None:
        """Lead the branch to a leaf."""
        self.way.reach(self.entries, leaf, shape=self.shape, rules=self.rules)
        path = self.way.path
        if path is self.branch:
            return
        known = len(self.branch)
        if path[:known] != self.branch:
            known, self._turn, self.spoken, self.turns = 0, 0, [], {}
            self.branch_seqs, self.branch_ids = [], set()
        for at in path[known:]:
            entry = self.entries[at]
            self._turn += entry.kind == Kind.PROMPT and entry.visible
            self.turns[at] = self._turn
            self.branch_seqs.append(entry.seq)
            if entry.entry_id:
                self.branch_ids.add(entry.entry_id)
            if entry.size and entry.kind in VOICES:
                self.spoken.append(at)
        self.branch = path

    def checks(self, policy: Policy, target: Destination) -> Checked:
        """What was checked under a policy for a destination; of what holds under another nothing is kept."""
        known = self.checked
        if known is None or known.policy != policy or known.target != target:
            known = self.checked = Checked(policy, target)
        return known

    def forget(self, needed: Sequence[int]) -> None:
        """Let go of messages that the calls of now do not need, once they are many."""
        if len(self.read) > 2 * len(needed) + _SPARE:
            kept = frozenset(needed)
            self.read = {at: read for at, read in self.read.items() if at in kept}
            self._guests = {at: guest for at, guest in self._guests.items() if at in kept}
            self.condensed = {at: short for at, short in self.condensed.items() if at in kept}
            self.contents = {at: content for at, content in self.contents.items() if at in kept}
            if self.checked is not None:
                self.checked.forget(kept)
