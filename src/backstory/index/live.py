"""Sessions that a running host attaches: their entries as they would be indexed, kept in memory for every connection.

The registry is the one truth about what is live. Connections copy it into their TEMP tables (`store.live`) piece by
piece, each at its own pace, so that appending costs one entry however long the session is. Thread-safe.
"""

import threading
from collections.abc import Callable, Iterable, Mapping, Sequence

import msgspec

from backstory.dialogue import surface
from backstory.dialogue.growing import Growing
from backstory.errors import SourceConflictError, UnknownSessionError, UsageError
from backstory.index.extract import extract
from backstory.privacy.secrets import clean
from backstory.records import node
from backstory.records.live import Attached, LiveHeader
from backstory.records.node import Node
from backstory.records.session import Draft, Entry, Facts
from backstory.sources import registry
from backstory.sources.base import Parser
from backstory.store.entries import PreparedEntry
from backstory.store.live import Delta, LiveChange, Mark
from backstory.store.statements import FIRST_LIVE
from backstory.text import canonical

Event = Draft | bytes


class _Session:
    """One live session: nodes to fold, rows to index, and a log of surfaces that changed after their row was made."""

    def __init__(self, key: int, header: LiveHeader) -> None:
        self.key = key
        self.header = header
        self.facts: Facts = header.facts()
        self.parser: Parser | None = None
        self.nodes: list[Node] = []
        self.surfaces: list[str] = []
        self.rows: list[tuple[int, PreparedEntry]] = []
        self.changes: list[tuple[int, str]] = []
        self.seqs: set[int] = set()
        self.next_seq = 0
        self.updated: int | None = header.created
        self.version = 0
        self.growing = Growing(surface.tip([], shape=header.shape, rules=header.rules))

    def drafts(self, events: Iterable[Event]) -> list[Draft]:
        """Events as drafts; raw records go through the parser of the session's source.

        Raises:
            UsageError: a raw event is no record, or states a number that does not follow.
            InvalidTextError: a draft holds half of a surrogate pair.
        """
        found: list[Draft] = []
        for event in events:
            if isinstance(event, Draft):
                canonical.encode(event)  # refuses what no table can hold, before all queries meet it
                found.append(event)
                continue
            source = registry.load(self.header.source)
            if self.parser is None:
                self.parser = source.parser(f"{self.header.id}.jsonl", self.facts)
            try:
                new = self.parser.parse(event)
                stated = source.number(event)
            except msgspec.DecodeError as error:
                raise UsageError(f"session {self.header.id}: a raw event is not a record: {error}") from error
            # A parser gives a record of a log that repeats a number the next free one, so that nothing is lost.
            if new and stated is not None and new[0].seq != stated:
                raise UsageError(f"session {self.header.id} is past event {stated} already")
            found += new
        return found

    def placed(self, events: Iterable[Event]) -> list[Entry]:
        """Events with their sequence numbers, which must be new; when one is refused the parser forgets all of them."""
        before = canonical.encode(self.parser.facts if self.parser else self.facts)
        try:
            return self._place(self.drafts(events))
        except BaseException:
            self.facts, self.parser = msgspec.json.decode(before, type=Facts), None
            raise

    def _place(self, drafts: Sequence[Draft]) -> list[Entry]:
        placed = []
        following = self.next_seq
        taken: set[int] = set()
        for draft in drafts:
            seq = following if draft.seq is None else draft.seq
            if seq in self.seqs or seq in taken:
                raise UsageError(f"session {self.header.id} already has an event {seq}")
            taken.add(seq)
            following = max(following, seq + draft.span)
            placed.append(Entry(seq, 0, 0, b"", draft))
        return placed

    def take(self, placed: Sequence[Entry], new_id: Callable[[], int]) -> None:
        """Makes placed entries part of the session."""
        facts = self.parser.facts if self.parser else self.facts
        first = len(self.nodes)
        for entry in placed:
            self.nodes.append(node.of(entry.draft, entry.seq))
            self.surfaces.append(self.growing.take(self.nodes[-1], facts.rules))
            self.seqs.add(entry.seq)
            self.next_seq = max(self.next_seq, entry.seq + entry.draft.span)
            self.updated = max(filter(None, (self.updated, entry.draft.time)), default=None)
        if not self.growing.settled(facts.rules):
            self._refold(facts, first)
        new = extract(placed, self.surfaces[first:])
        self.rows += [(new_id(), row) for row in new]

    def _refold(self, facts: Facts, first: int) -> None:
        ordered = sorted(range(len(self.nodes)), key=lambda at: self.nodes[at].seq)
        folded = self.growing.fold([self.nodes[at] for at in ordered], shape=facts.shape, rules=facts.rules)
        for at, new in zip(ordered, folded, strict=True):
            if at < first and self.surfaces[at] != new:
                self.changes.append((self.nodes[at].seq, new))
            self.surfaces[at] = new

    def row(self) -> tuple[object, ...]:
        """The values of the session's row."""
        facts = self.parser.facts if self.parser else self.facts
        header = self.header
        return (
            header.source, header.id, clean(header.cwd), header.created, self.updated, clean(facts.title),
            header.parent, header.origin, header.version, facts.models[-1] if facts.models else None, len(self.rows),
            header.seed_length, header.delegation_depth, header.agent_preset, facts.shape, facts.rules, self.version,
        )  # fmt: skip


class LiveSessions:
    """All live sessions of one engine."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: dict[tuple[str, str], _Session] = {}
        self._version = 0
        self._keys = 0
        self._ids = FIRST_LIVE

    @property
    def version(self) -> int:
        """Grows with every change; 0 as long as nothing was ever attached."""
        return self._version

    def attach(self, header: LiveHeader, events: Iterable[Event]) -> Attached:
        """Makes a session live with the events it has so far.

        Raises:
            SourceConflictError: a session of this source and id is already attached.
            UsageError: an event is damaged or repeats a number, or a text holds half of a surrogate pair.
        """
        with self._lock:
            if (header.source, header.id) in self._sessions:
                raise SourceConflictError(f"session {header.source}:{header.id} is already attached")
            canonical.encode(header)
            session = _Session(-self._keys - 1, header)
            session.take(session.placed(events), self._new_id)
            self._keys += 1
            self._sessions[header.source, header.id] = session
            return self._changed(session)

    def append(self, source: str, id_: str, events: Iterable[Event]) -> Attached:
        """Adds events to a live session, all or none.

        Raises:
            UnknownSessionError: it is not attached.
            UsageError: an event is damaged or repeats a number.
        """
        with self._lock:
            session = self._sessions.get((source, id_))
            if session is None:
                raise UnknownSessionError(f"{source}:{id_}")
            session.take(session.placed(events), self._new_id)
            return self._changed(session)

    def detach(self, source: str, id_: str) -> bool:
        """Ends a live session; False when it was not attached."""
        with self._lock:
            gone = self._sessions.pop((source, id_), None)
            self._version += gone is not None
            return gone is not None

    def attached(self) -> list[Attached]:
        """What is live now, in the order of attaching."""
        with self._lock:
            return [_told(session) for session in self._sessions.values()]

    def delta(self, version: int, seen: Mapping[int, Mark]) -> Delta:
        """What a connection that has seen so much lacks."""
        with self._lock:
            if version == self._version:
                return Delta(version, (), ())
            live = {session.key: session for session in self._sessions.values()}
            changes = [
                _change(session, seen.get(key, Mark()))
                for key, session in live.items()
                if seen.get(key, Mark()).version != session.version
            ]
            return Delta(self._version, changes, [key for key in seen if key not in live])

    def _changed(self, session: _Session) -> Attached:
        self._version += 1
        session.version = self._version
        return _told(session)

    def _new_id(self) -> int:
        self._ids += 1
        return self._ids


def _told(session: _Session) -> Attached:
    return Attached(session.header.source, session.header.id, len(session.rows), session.next_seq)


def _change(session: _Session, mark: Mark) -> LiveChange:
    return LiveChange(
        session.key, session.row(), session.rows[mark.rows :], session.changes[mark.changes :],
        Mark(session.version, len(session.rows), len(session.changes)),
    )  # fmt: skip
