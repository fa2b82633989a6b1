"""Brings the rows of one session file up to date, inside the caller's transaction.

An append reads only what follows the checkpoint. Anything else reads the file again and keeps every row whose raw
record has the same hash and means the same. A deadline stops the read at a record boundary; what was read is kept, and
the checkpoint makes the next pass go on from there. Before it in the flow: `sources.reading`. After it: `store`.
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from backstory.dialogue import surface
from backstory.dialogue.growing import Growing
from backstory.index.checkpoint import Step, decide
from backstory.index.extract import conversation, extract, known, tool, words
from backstory.index.version import VERSION
from backstory.records import node
from backstory.records.base import Record
from backstory.records.checkpoint import Stamp
from backstory.records.node import Tip
from backstory.records.session import Entry, Facts, Malformed
from backstory.sources.base import Source
from backstory.sources.prints import continues, stamp
from backstory.sources.reading import Reading
from backstory.store import browse, entries, passages, sessions
from backstory.store.entries import PreparedEntry
from backstory.store.filling import Filling
from backstory.store.history import History

BATCH_ENTRIES = 512
WHOLE_ENTRIES = 20_000
BATCH_CHARS = 4 << 20


class Outcome(Record, frozen=True):
    """What reading one file did: entries written, damaged records met, its size, and whether its end was reached.

    `first` is the seq of the first entry that is new or different, `fresh` says that the session had no row before.
    `touched` are keys of sessions whose part in repeating others is new as a whole: this one, if it has another id or
    parent now or was missing, and those that may have repeated it before.
    """

    key: int
    size: int
    entries: int = 0
    malformed: int = 0
    complete: bool = True
    first: int | None = None
    fresh: bool = False
    touched: tuple[int, ...] = ()
    id: str = ""
    parent: str | None = None


class PlacedLog(Record, frozen=True):
    """A file to index, with the source that reads it and the key of the place it was found in."""

    source: Source
    path: str
    root: int


def reconcile(history: History, file: PlacedLog, late: Callable[[], bool], filling: Filling | None = None) -> Outcome:
    """Reads what is new or changed in one file; a new session may be left in `filling`, for the caller to write.

    Raises:
        UnreadableSourceError: the file cannot be read; nothing was written.
        CancelledError: raised by `late` itself; the caller's transaction must be rolled back.
    """
    if filling is not None:
        return _reconciled(history, file, late, filling)
    filling = Filling(history)
    outcome = _reconciled(history, file, late, filling)
    filling.write()
    return outcome


def _reconciled(history: History, file: PlacedLog, late: Callable[[], bool], filling: Filling) -> Outcome:
    stored = sessions.by_path(history, file.path)
    now = stamp(file.path)
    if stored and stored.source != file.source.location.name:
        browse.forget(history, stored.key)
        stored = None
    if stored is None:
        key = sessions.insert(history, file.source.location.name, file.root, file.path)
        outcome = _Pass(history, file, key, late, filling).whole(now, rewrite=False, new=True)
        return msgspec.structs.replace(outcome, fresh=True)
    # Taken before the read: an append goes on with the stored facts, and what it learns is written into them.
    id_, parent = stored.facts.id, stored.facts.parent
    outcome = _again(stored, now, _Pass(history, file, stored.key, late, filling))
    if stored.missing or (outcome.id, outcome.parent) != (id_, parent):
        filling.write()
        namesakes = sessions.namesakes(history, stored.source, id_)
        outcome = msgspec.structs.replace(outcome, touched=(stored.key, *namesakes))
    return outcome


def _again(stored: sessions.StoredSession, now: Stamp, this: "_Pass") -> Outcome:
    before, file = stored.checkpoint, this.file
    document = file.source.document(file.path)
    step = decide(before.stamp, now, same_rules=stored.extraction == VERSION, document=document)
    if step is Step.NOTHING:
        sessions.set_missing(this.history, [file.path], missing=False)
        return Outcome(stored.key, now.size, id=stored.facts.id, parent=stored.facts.parent)
    if step is Step.APPEND and continues(file.path, before):
        return this.append(stored, now)
    return this.whole(now, rewrite=step is Step.EXTRACT)


def _same(old: entries.StoredEntry, entry: Entry) -> bool:
    """Whether a stored row is what would be stored now: its record is the same, and so is what others made of it.

    A header, an earlier call or an earlier copy may have changed, and one record may give several entries.
    """
    return old.hash == entry.hash and old.traits == entries.traits(entry.draft, tool(entry.draft))


class _Pass:
    """One read of one file: gathers entries into batches and keeps surfaces right as the session grows."""

    def __init__(self, history: History, file: PlacedLog, key: int, late: Callable[[], bool], filling: Filling) -> None:
        self.history = history
        self.file = file
        self._key = key
        self._late = late
        self._filling = filling
        self._batch: list[Entry] = []
        self._chars = 0
        self._damage: list[Malformed] = []
        self._growing = Growing()
        self._written = 0
        self._latest: int | None = None
        self._first_change: int | None = None
        self._recount = False
        self._filled = False

    def append(self, stored: sessions.StoredSession, now: Stamp) -> Outcome:
        """Reads the suffix after the stored checkpoint."""
        since = stored.checkpoint
        if since.open_tail:
            self._changed(since.seq)
            self._recount = True
            entries.delete(self.history, entries.ids_from(self.history, self._key, since.seq))
        else:
            self._growing.tip = msgspec.json.decode(stored.tip, type=Tip) if stored.tip else None
        reading = Reading(self.file.source, self.file.path, since, stored.facts)
        self._latest = stored.updated
        # Where no entry had a time, `updated` is when the session began, which a first time may precede.
        self._recount = self._recount or stored.updated == stored.facts.created
        for entry in self._read(reading):
            self._add(entry)
        self._flush(reading.rules)
        return self._finish(reading, now, damaged=stored.malformed, counted=stored.entries)

    def whole(self, now: Stamp, *, rewrite: bool, new: bool = False) -> Outcome:
        """Reads the whole file, keeping rows whose record did not change; those of a `new` session are none."""
        kept = {} if new else entries.hashes(self.history, self._key)
        fresh = not kept
        self._recount = not fresh
        reading = Reading(self.file.source, self.file.path)
        if fresh:
            self._growing.tip = surface.tip([], shape=reading.facts.shape, rules=reading.facts.rules)
        moved: list[tuple[int, int]] = []
        if not new:
            sessions.clear_damage(self.history, self._key)
        for entry in self._read(reading, WHOLE_ENTRIES if fresh else BATCH_ENTRIES):
            old = kept.pop(entry.seq, None) if kept else None
            if old and not rewrite and _same(old, entry):
                if old.offset != entry.offset:
                    moved.append((entry.offset, old.id))
                continue
            if old:
                entries.delete(self.history, [old.id])
            self._add(entry)
        if fresh and not self._written:
            self._flush_all(reading)
        self._flush(reading.rules)
        if moved:
            entries.move(self.history, moved)
        if kept:
            self._changed(min(kept))
            entries.delete(self.history, [old.id for old in kept.values()])
        return self._finish(reading, now, damaged=0, counted=0)

    def _read(self, reading: Reading, most: int = BATCH_ENTRIES) -> Iterator[Entry]:
        for item in reading:
            if isinstance(item, Malformed):
                self._damage.append(item)
            else:
                yield item
            if len(self._batch) >= most or self._chars >= BATCH_CHARS:
                self._flush(reading.rules)
                if self._late():
                    reading.stop()

    def _add(self, entry: Entry) -> None:
        self._batch.append(entry)
        self._chars += len(entry.draft.text)
        time = entry.draft.time
        if time is not None and (self._latest is None or time > self._latest):
            self._latest = time

    def _flush(self, rules: str) -> None:
        if self._batch:
            new = self._extracted([self._growing.take(node.of(each.draft, each.seq), rules) for each in self._batch])
            entries.insert(self.history, [(self._key, new)])

    def _flush_all(self, reading: Reading) -> None:
        """Stores a new session that fits one batch: folded once, instead of entry by entry."""
        facts = reading.facts
        nodes = [node.of(entry.draft, entry.seq) for entry in self._batch]
        if surfaces := self._growing.fold(nodes, shape=facts.shape, rules=facts.rules):
            new = self._extracted(surfaces)
            self._filling.add(self._key, new, passages.cut(conversation(new)))
            self._filled = True

    def _extracted(self, surfaces: Sequence[str]) -> list[PreparedEntry]:
        """What is to be stored of the gathered entries, which are then let go."""
        self._changed(self._batch[0].seq)
        new = extract(self._batch, surfaces)
        self._written += len(self._batch)
        self._batch, self._chars = [], 0
        return new

    def _changed(self, seq: int) -> None:
        self._first_change = seq if self._first_change is None else min(self._first_change, seq)

    def _finish(self, reading: Reading, now: Stamp, *, damaged: int, counted: int) -> Outcome:
        facts = known(reading.facts)
        if not self._growing.settled(facts.rules):
            self._refold(facts)
        if self._first_change is not None and not self._filled:
            passages.refresh(self.history, self._key, self._first_change, words)
        if self._damage:
            sessions.add_damage(self.history, self._key, self._damage)
        reached = reading.checkpoint
        if not reading.complete:
            partial = Stamp(reached.position, now.mtime_ns, now.inode)
            reached = msgspec.structs.replace(reached, stamp=partial)
        row = sessions.Update(
            key=self._key, facts=facts, checkpoint=reached, extraction=VERSION,
            tip=msgspec.json.encode(self._growing.tip).decode(), malformed=damaged + len(self._damage),
            stamp=reached.stamp, entries=None if self._recount else counted + self._written,
            updated=self._latest,
        )  # fmt: skip
        if self._filled:
            self._filling.update(row)
        else:
            sessions.update(self.history, row)
        return Outcome(
            self._key,
            now.size,
            self._written,
            len(self._damage),
            reading.complete,
            self._first_change,
            id=facts.id,
            parent=facts.parent,
        )

    def _refold(self, facts: Facts) -> None:
        stored = entries.nodes(self.history, self._key)
        nodes = [one for one, _ in stored]
        folded = self._growing.fold(nodes, shape=facts.shape, rules=facts.rules)
        changes = [(one.seq, new) for (one, old), new in zip(stored, folded, strict=True) if old != new]
        entries.set_surfaces(self.history, self._key, changes)
