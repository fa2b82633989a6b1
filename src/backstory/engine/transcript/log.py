"""Follows one log file record by record and fills a transcript with it, without any index.

An unterminated last record is taken in as it stands; when it changes, the file is read again from the start. What was
said is kept in memory as the index would have it: redacted, without NULs.
"""

from collections.abc import Sequence

import msgspec

from backstory.engine.transcript.reached import VOICES
from backstory.engine.transcript.session import Transcript
from backstory.index.extract import storable
from backstory.records.browsing import SessionRow
from backstory.records.located import located
from backstory.records.session import Entry, Facts, Kind
from backstory.sources import registry
from backstory.sources.prints import continues, stamp
from backstory.sources.reading import Reading
from backstory.store import context
from backstory.store.context import EntryText, Fingerprint, Indexed
from backstory.store.history import History


class Followed:
    """One log, the transcript made of it, and how far that reaches."""

    def __init__(self, history: History, source: str, path: str) -> None:
        self.source = source
        self._history = history
        self._path = path
        self._said: dict[int, EntryText] = {}
        self._labels: list[tuple[str | None, str]] = []
        reading = Reading(registry.load(source), path)
        entries = [storable(entry) for entry in reading if isinstance(entry, Entry)]
        self._reached = reading.checkpoint
        self._facts = msgspec.json.encode(reading.facts)
        row = _row(source, path, reading.facts)
        self.transcript = Transcript(row, 0, self._texts)
        self._indexed = Indexed()
        self._fingerprint = Fingerprint()
        self._take(sorted(entries, key=lambda entry: entry.seq), reading.facts)

    def grown(self) -> bool:
        """Take in what the file gained; False when it is no longer what it was, and has to be read again."""
        reached = self._reached
        now = stamp(self._path)
        if now == reached.stamp:
            return True
        if reached.open_tail or now.size < reached.position or not continues(self._path, reached):
            return False
        facts = msgspec.json.decode(self._facts, type=Facts)
        reading = Reading(registry.load(self.source), self._path, reached, facts)
        entries = [storable(entry) for entry in reading if isinstance(entry, Entry)]
        last = self.transcript.entries[-1].seq if self.transcript.entries else -1
        if any(entry.seq <= last for entry in entries):
            return False
        self._reached = reading.checkpoint
        self._facts = msgspec.json.encode(reading.facts)
        self.transcript.know(_row(self.source, self._path, reading.facts))
        self._take(entries, reading.facts)
        return True

    def look(self) -> None:
        """See where the session stands in the index; what was quoted of rows that are others by now is let go.

        Once a session is forgotten, its key may be that of another one.
        """
        transcript, history, before = self.transcript, self._history, self._indexed
        row = transcript.row
        now = context.indexed(history, row.source, row.session_id, row.path) if row.session_id else Indexed()
        if now == before:
            return
        same = now.key == before.key and context.fingerprint(history, now.key, before.last) == self._fingerprint
        if not same:
            transcript.quoted.unlook()
            self._fingerprint, before = Fingerprint(), Indexed()
        self._fingerprint = self._fingerprint.then(context.fingerprint(history, now.key, now.last, before.last))
        transcript.key, self._indexed = now.key, now

    def _take(self, entries: Sequence[Entry], facts: Facts) -> None:
        transcript = self.transcript
        transcript.take(map(located, entries))
        transcript.shape, transcript.rules = facts.shape, facts.rules
        for entry in entries:
            draft = entry.draft
            if draft.kind == Kind.LABEL:
                self._labels.append((draft.target, draft.text))
            elif draft.text and draft.kind in VOICES:
                self._said[entry.seq] = EntryText(
                    entry.seq,
                    draft.entry_id,
                    draft.kind,
                    draft.time,
                    draft.tool,
                    draft.paths,
                    draft.call_ids,
                    draft.text,
                )
        if self._labels:
            transcript.label(self._labels)

    def _texts(self, seqs: Sequence[int]) -> list[EntryText]:
        return [self._said[seq] for seq in seqs if seq in self._said]


def _row(source: str, path: str, facts: Facts) -> SessionRow:
    return SessionRow(
        source=source, session_id=facts.id, title=facts.title, cwd=facts.cwd, created=facts.created, updated=None,
        entries=0, malformed=0, origin=facts.origin, parent=facts.parent,
        model=facts.models[-1] if facts.models else None, missing=False, path=path,
    )  # fmt: skip
