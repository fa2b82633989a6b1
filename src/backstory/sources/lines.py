"""Splits a log into newline-terminated records with exact offsets, in bounded memory.

Only LF ends a record (U+2028, U+2029, U+0085 and CR are data). A record longer than `LONG` loses its base64 runs
while it streams in; what is left above `OVERSIZED` is not kept at all. Compressed logs are read frame by frame, so
that reading can go on at the first unfinished frame. What a record means is decided by `sources.reading`.
"""

import re
from collections.abc import Iterator
from hashlib import sha256
from typing import BinaryIO

from backstory.records.base import Record
from backstory.sources.frames import ZSTD_MAGIC, FrameBytes, frame_chunks

CHUNK = 1 << 19
LONG = 8 << 20
OVERSIZED = 32 << 20
RUN = 4096
BASE64_BYTES = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
# The look-behind lets only the start of a run be tried, which keeps the search linear.
BASE64 = re.compile(rb"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/=]{4096,}")


class RawLine(Record, frozen=True):
    """One physical line: `raw` without its newline (None when oversized), its place, and the hash of all its bytes."""

    offset: int
    length: int
    raw: bytes | None
    hash: bytes
    terminated: bool


def is_compressed(file: BinaryIO) -> bool:
    """Whether a file holds zstd frames, by its first four bytes; leaves the file at its start."""
    file.seek(0)
    magic = file.read(4)
    file.seek(0)
    return magic == ZSTD_MAGIC


def plain_chunks(file: BinaryIO, offset: int, size: int) -> Iterator[FrameBytes]:
    """The bytes of a plain file from `offset`, at most up to `size`: what grew meanwhile is for the next read."""
    file.seek(offset)
    while offset < size and (data := file.read(min(CHUNK, size - offset))):
        offset += len(data)
        yield FrameBytes(data, -1, -1)


class LongRecord:
    """Gathers one record longer than `LONG`: hashes every byte, drops base64 runs, gives up above `OVERSIZED`."""

    def __init__(self) -> None:
        self.length = 0
        self._digest = sha256()
        self._kept: bytearray | None = bytearray()
        self._in_run = False

    def feed(self, data: bytes) -> None:
        """Takes the next bytes of the record."""
        self.length += len(data)
        self._digest.update(data)
        if self._kept is None:
            return
        if self._in_run:
            data = data.lstrip(BASE64_BYTES)
            self._in_run = not data
        joined = max(len(self._kept) - RUN, 0)
        fresh = bytes(self._kept[joined:]) + data
        del self._kept[joined:]
        self._in_run = self._in_run or len(fresh) - len(fresh.rstrip(BASE64_BYTES)) >= RUN
        self._kept += BASE64.sub(b"", fresh)
        if len(self._kept) > OVERSIZED:
            self._kept = None

    def line(self, offset: int, *, terminated: bool) -> RawLine:
        """The record as a line."""
        raw = None if self._kept is None else bytes(self._kept)
        return RawLine(offset, self.length, raw, self._digest.digest(), terminated)


class LineReader:
    """Iterates the lines of chunks, from logical `offset` on.

    `frame` is the (physical, logical) start of the frame that the chunks of a compressed log begin with, None for a
    plain one. After exhaustion `offset` is the logical byte after the last newline.
    """

    def __init__(self, chunks: Iterator[FrameBytes], offset: int, frame: tuple[int, int] | None = None) -> None:
        self._chunks = chunks
        self._frames = [frame] if frame else []
        self._skip = offset - frame[1] if frame else 0
        self.offset = offset

    @property
    def position(self) -> int:
        """The physical byte to go on from: `offset`, or the start of the last frame that begins before it."""
        return self._frames[0][0] if self._frames else self.offset

    @property
    def base(self) -> int:
        """The logical byte at `position`."""
        return self._frames[0][1] if self._frames else self.offset

    def __iter__(self) -> Iterator[RawLine]:
        pending = b""
        long: LongRecord | None = None
        for chunk in self._chunks:
            data = self._fresh(chunk)
            find, begin = data.find, 0
            # Not `split`, which looks at each byte in turn; `find` looks at many at once.
            while (end := find(b"\n", begin)) >= 0:
                piece = data[begin:end]
                begin = end + 1
                if long:
                    long.feed(piece)
                    yield self._advance(long.line(self.offset, terminated=True))
                    long = None
                else:
                    raw = pending + piece if pending else piece
                    start, length = self.offset, len(raw)
                    self.offset = start + length + 1
                    if len(self._frames) > 1:
                        self._prune()
                    yield RawLine(start, length, raw, sha256(raw).digest(), terminated=True)
                pending = b""
            pending += data[begin:]
            if long or len(pending) > LONG:
                long = long or LongRecord()
                long.feed(pending)
                pending = b""
        if long:
            yield long.line(self.offset, terminated=False)
        elif pending:
            yield RawLine(self.offset, len(pending), pending, sha256(pending).digest(), terminated=False)

    def _fresh(self, chunk: FrameBytes) -> bytes:
        if self._frames and chunk.frame != self._frames[-1][0]:
            self._frames.append((chunk.frame, chunk.base))
        skipped = min(self._skip, len(chunk.data))
        self._skip -= skipped
        self._prune()
        return chunk.data[skipped:] if skipped else chunk.data

    def _advance(self, line: RawLine) -> RawLine:
        self.offset += line.length + 1
        if self._frames:
            self._prune()
        return line

    def _prune(self) -> None:
        while len(self._frames) > 1 and self._frames[1][1] <= self.offset:
            del self._frames[0]


def open_lines(file: BinaryIO, offset: int, position: int, base: int, size: int) -> LineReader:
    """The lines of an open log from a place named by a checkpoint (all zero: from the start), up to physical `size`."""
    if is_compressed(file):
        return LineReader(frame_chunks(file, position, base, size), offset, (position, base))
    return LineReader(plain_chunks(file, offset, size), offset)
