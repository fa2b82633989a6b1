"""What was made of the messages of a session for its calls: read, shortened, checked, and as they were sent.

Messages go by the position of their entry or the number of a guest. What was made of one holds for that very message
object. All of it can be made again; `engine.transcript.messages` reads, `engine.artifacts.condense` shortens,
`engine.planning.gate` checks and `engine.planning.answer` sends.
"""

from collections.abc import Collection
from typing import Any, NamedTuple

import msgspec

from backstory.engine.transcript.checked import Checked
from backstory.records.manifest import ArtifactRef
from backstory.records.message import Message
from backstory.records.plan import Item
from backstory.records.privacy import Destination, Policy
from backstory.records.problem import Problem


class Read(NamedTuple):
    """What was read of an entry: its message and the item that stands for it, None for nothing to send.

    `longest` are the characters of its longest tool result, `calls` the tools that it calls.
    """

    message: Message | None = None
    item: Item | None = None
    longest: int = 0
    calls: tuple[str, ...] = ()


class Condensed(msgspec.Struct, frozen=True):
    """One result that was replaced: what the manifest says of it, and its text as the log has it, tags included."""

    ref: ArtifactRef
    seq: int
    call: str
    failed: bool
    text: str


class Shortened(NamedTuple):
    """What a message is in short and which results that replaced, for a threshold and the tools that were called."""

    message: Message
    key: tuple[int, tuple[str, ...]]
    short: Message
    replaced: tuple[Condensed, ...]


class PreparedContent(NamedTuple):
    """A message as it is sent, and the digest of its role and blocks."""

    message: Message
    blocks: list[dict[str, Any]]
    digest: bytes


class Prepared:
    """`read` are messages with their items in tokens of one estimator; `unread` says why some could not be read.

    `tools` are all that any of them ever called. `condensed` remembers messages that were shortened, `contents` those
    that were sent, `added` the digests of texts that the last call added, `checked` what was checked under the policy,
    and for the destination, that was asked for last.
    """

    def __init__(self) -> None:
        self.unread: dict[int, Problem] = {}
        self._sized_by = ""
        self._clear()

    def _clear(self) -> None:
        self.read: dict[int, Read] = {}
        self.tools: set[str] = set()
        self.condensed: dict[int, Shortened] = {}
        self.contents: dict[int, PreparedContent] = {}
        self.added: dict[str, bytes] = {}
        self.checked: Checked | None = None

    def size_by(self, estimator: str) -> None:
        """Let sizes be those of a version of an estimator; what was made with others is forgotten."""
        if self._sized_by != estimator:
            self._clear()
            self._sized_by = estimator

    def note(self, at: int, read: Read) -> None:
        """Let this be what was read of an entry."""
        self.read[at] = read
        self.tools.update(read.calls)

    def checks(self, policy: Policy, target: Destination) -> Checked:
        """What was checked under a policy for a destination; of what holds under another nothing is kept."""
        known = self.checked
        if known is None or known.policy != policy or known.target != target:
            known = self.checked = Checked(policy, target)
        return known

    def keep(self, needed: Collection[int]) -> None:
        """Let go of all messages but these."""
        self.read = {at: read for at, read in self.read.items() if at in needed}
        self.condensed = {at: short for at, short in self.condensed.items() if at in needed}
        self.contents = {at: content for at, content in self.contents.items() if at in needed}
        if self.checked is not None:
            self.checked.forget(needed)
