"""Reads one log through its source's parser: places, hashes, sequence numbers, damage, and the next checkpoint.

Yields `Entry` and `Malformed` in file order. After exhaustion `Reading.checkpoint` says how to go on and
`Reading.facts` what is known of the session. It decides nothing about storage: that is `backstory.index`. Neighbours:
`lines` cuts, `glued` looks into damaged lines, `prints` tells whether a file goes on.
"""

import os
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import BinaryIO

import msgspec

from backstory.config.paths import open_file
from backstory.errors import UnreadableSourceError
from backstory.records.checkpoint import Checkpoint, Stamp
from backstory.records.session import Draft, Entry, Facts, Malformed
from backstory.sources.base import Parser, Source
from backstory.sources.frames import UNREAD
from backstory.sources.glued import whole_records
from backstory.sources.lines import RawLine, open_lines
from backstory.sources.prints import HEAD, TAIL, prints

# A document is decoded whole, which takes several times its size in memory; real ones have a few megabytes.
LARGEST_DOCUMENT = 256 << 20
MARKS = b"\xef\xbb\xbf"
NOTHING_BEHIND = "behind so many torn frames nothing is read"
OPENING, CLOSING = b"{}"


class Reading:
    """One pass over one file, from the start or from a checkpoint with the facts reached there."""

    def __init__(self, source: Source, path: str, since: Checkpoint | None = None, facts: Facts | None = None) -> None:
        self._source = source
        self._path = path
        self._since = since
        self._parser: Parser = source.parser(path, facts)
        self._seq = since.seq if since else 0
        self._line = since.line if since else 0
        self._stopped = False
        self.malformed = 0
        self.complete = True
        self.checkpoint = since or Checkpoint(Stamp(0, 0, 0))
        self.facts = self._parser.facts

    @property
    def rules(self) -> str:
        """The dialect of active-context rules, as far as it is known by now."""
        return self._parser.facts.rules

    def stop(self) -> None:
        """Ends the pass after the current record; the checkpoint then lies there and `complete` is false."""
        self._stopped = True

    def __iter__(self) -> Iterator[Entry | Malformed]:
        try:
            with open_file(self._path) as file:
                found = os.fstat(file.fileno())
                now = Stamp(found.st_size, found.st_mtime_ns, found.st_ino)
                yield from self._document(file, now) if self._source.document(self._path) else self._lines(file, now)
        except OSError as error:
            raise UnreadableSourceError(self._path, error.strerror or str(error)) from error

    def _document(self, file: BinaryIO, now: Stamp) -> Iterator[Entry | Malformed]:
        if now.size > LARGEST_DOCUMENT:
            self.malformed += 1
            yield Malformed(1, 0, now.size, "a document too large to be read whole", oversized=True)
            self.checkpoint = Checkpoint(now, offset=now.size, position=now.size, seq=self._seq)
            return
        data = file.read(now.size)
        try:
            for offset, raw in self._source.split(data):
                for draft in self._parser.parse(raw):
                    yield self._entry(draft, offset, len(raw), sha256(raw).digest())
        except msgspec.DecodeError as error:
            self.malformed += 1
            yield Malformed(1, 0, len(data), f"not a JSON document: {error}")
        self.facts = self._parser.facts
        self.checkpoint = Checkpoint(now, offset=len(data), position=len(data), seq=self._seq)

    def _lines(self, file: BinaryIO, now: Stamp) -> Iterator[Entry | Malformed]:
        since = self._since or Checkpoint(now)
        lines = open_lines(file, since.offset, since.position, since.base, now.size)
        tail: RawLine | None = None
        for line in lines:
            if not line.terminated:
                tail = line
                break
            self._line += 1
            drafts = self._drafts(line)
            if drafts is None:
                yield from self._damaged(line)
            else:
                for draft in drafts:
                    # As `_entry` does it: a call for each record of a log is felt.
                    seq = self._seq if draft.seq is None else draft.seq
                    self._seq = seq + draft.span
                    yield Entry(seq, line.offset, line.length, line.hash, draft)
            if self._stopped:
                self.complete = False
                break
        self.checkpoint = self._reached(file, now, lines.offset, lines.position, lines.base)
        self.facts = self._parser.facts
        if tail and (found := self._open_tail(tail)):
            yield from found
            self.checkpoint = msgspec.structs.replace(self.checkpoint, open_tail=True)

    def _reached(self, file: BinaryIO, now: Stamp, offset: int, position: int, base: int) -> Checkpoint:
        head_size = min(position, HEAD)
        tail_start = max(position - TAIL, 0)
        # Of an incomplete pass the stamp ends where reading goes on.
        end = now.size if position != offset and self.complete else position
        head, tail = prints(file, head_size, tail_start, end)
        return Checkpoint(
            stamp=now, offset=offset, position=position, base=base, head_size=head_size, head=head,
            tail_start=tail_start, tail=tail, line=self._line, seq=self._seq,
        )  # fmt: skip

    def _open_tail(self, line: RawLine) -> list[Entry]:
        """Entries of a last record without its newline, if it is whole; the facts of the checkpoint stay before it."""
        before = msgspec.json.encode(self._parser.facts)
        if line.raw is None:
            return []
        try:
            drafts = self._parser.parse(_bare(line))
        except msgspec.DecodeError:
            drafts = []
        found = [self._entry(draft, line.offset, line.length, line.hash) for draft in drafts]
        self.facts = msgspec.json.decode(before, type=Facts)
        return found

    def _drafts(self, line: RawLine) -> Sequence[Draft] | None:
        """The drafts of a line, none for a blank one, None for a damaged one."""
        raw = line.raw
        if not raw or raw[0] != OPENING or raw[-1] != CLOSING:
            raw = _bare(line)
        if not raw:
            return () if line.raw is not None and not line.raw.strip(b"\r \t") else None
        try:
            return self._parser.parse(raw)
        except msgspec.DecodeError:
            return None

    def _damaged(self, line: RawLine) -> Iterator[Entry | Malformed]:
        """Whatever whole records a damaged line still holds, and the damage."""
        if line.raw is None:
            yield self._damage(line, "too large once its base64 is left out", oversized=True)
            return
        raw = _bare(line)
        if not raw:
            yield self._damage(line, "a run of NUL bytes")
            return
        pieces, whole = whole_records(raw)
        reason = NOTHING_BEHIND if raw == UNREAD.rstrip() else "not a whole JSON record"
        for start, piece in pieces:
            try:
                drafts = self._parser.parse(piece)
            except msgspec.DecodeError as error:
                whole, reason = False, str(error)
                continue
            for draft in drafts:
                yield self._entry(draft, line.offset + start, len(piece), sha256(piece).digest())
        if not whole:
            yield self._damage(line, reason)

    def _damage(self, line: RawLine, reason: str, *, oversized: bool = False) -> Malformed:
        self.malformed += 1
        return Malformed(self._line, line.offset, line.length, reason, oversized)

    def _entry(self, draft: Draft, offset: int, length: int, digest: bytes) -> Entry:
        seq = self._seq if draft.seq is None else draft.seq
        self._seq = seq + draft.span
        return Entry(seq, offset, length, digest, draft)


def _bare(line: RawLine) -> bytes:
    raw = (line.raw or b"").strip(b"\0\r \t")
    return raw.removeprefix(MARKS) if line.offset == 0 else raw
