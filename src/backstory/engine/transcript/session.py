"""One session as planning sees it: its entries, the branch to a leaf, and what was made and quoted of them so far.

It only grows; when something earlier changed, another one is made. Everything in it can be worked out again, so two
plans are the same whether or not a transcript was there before. Who fills it, and where texts come from, is for
`engine.transcripts` to say.
"""

from collections.abc import Callable, Iterable, Sequence

from backstory.dialogue import branch
from backstory.engine import name_rules
from backstory.engine.transcript.guests import Guests
from backstory.engine.transcript.prepared import Prepared
from backstory.engine.transcript.quoted import Quoted
from backstory.engine.transcript.reached import Reached
from backstory.engine.transcript.view import View
from backstory.errors import UnknownEntryError
from backstory.records.browsing import SessionRow
from backstory.records.located import Located
from backstory.store.context import EntryText

_SPARE = 200


class Transcript:
    """The entries of a session in order. Positions are indices into `entries`, `guests` are messages beside them.

    `key` names the session in the history database, 0 when it is not there. `reached` is the branch that was reached
    last and `view` what was shown last of it; `prepared` is what was made of messages, `quoted` what was looked up and
    read to quote from.
    """

    def __init__(self, row: SessionRow, key: int, texts: Callable[[Sequence[int]], Sequence[EntryText]]) -> None:
        self.row = row
        self.key = key
        self.texts = texts
        self.shape, self.rules = "line", ""
        self.entries: list[Located] = []
        self.pinned: frozenset[int] = frozenset()
        self.guests = Guests()
        self.reached = Reached()
        self.view = View()
        self.prepared = Prepared()
        self.quoted = Quoted()
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
            self.quoted = Quoted()
        self.row = row

    def take(self, entries: Iterable[Located]) -> None:
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
        positions = (at for at, entry in enumerate(self.entries) if entry.entry_id in pinned) if pinned else ()
        self.pinned = frozenset(positions)

    def entry(self, key: int) -> Located:
        """The entry at a position, or what stands for a guest."""
        return self.entries[key] if key >= 0 else self.guests.entry(key)

    def named(self, name: str) -> Located | None:
        """The entry of a name, None when there is none."""
        at = self.position(name)
        return None if at is None else self.entries[at]

    @property
    def leaf(self) -> Located | None:
        """The entry that the branch was led to."""
        return None if self.reached.leaf is None else self.entries[self.reached.leaf]

    def position(self, name: str) -> int | None:
        """The position of an entry, named in full as `engine.name_rules` says."""
        return name_rules.entry(name, self._ids, self._seqs.get)

    def require(self, name: str) -> int:
        """The position of an entry, named as for `position`.

        Raises:
            UnknownEntryError: there is none.
        """
        return self._found(name, self.position(name))

    def meant(self, name: str) -> int:
        """The position of an entry that a person named, be it by a beginning of its id.

        Raises:
            UnknownEntryError, AmbiguousNameError: there is none, or more than one.
        """
        return self._found(name, name_rules.begun_entry(name, self._ids, self._seqs.get))

    def _found(self, name: str, at: int | None) -> int:
        if at is None:
            raise UnknownEntryError(self.row.session_id, name)
        return at

    def at(self, seq: int) -> int:
        """The position of a sequence number that is there."""
        return self._seqs[seq]

    def active(self) -> int | None:
        """The position of the leaf that the agent would go on from."""
        return branch.active_leaf(self.entries, shape=self.shape, rules=self.rules)

    def reach(self, leaf: int | None) -> None:
        """Lead the branch to a leaf."""
        self.reached.lead(self.entries, leaf, shape=self.shape, rules=self.rules)

    def forget(self, needed: Sequence[int]) -> None:
        """Let go of messages that the calls of now do not need, once they are many."""
        if len(self.prepared.read) > 2 * len(needed) + _SPARE:
            kept = frozenset(needed)
            self.prepared.keep(kept)
            self.guests.keep(kept)
