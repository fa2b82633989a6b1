"""Decompresses a log of zstd frames in bounded memory, from any frame on.

A frame that is damaged, or was torn and followed by others, costs what lies behind the damage in it and nothing else.
Neighbours: `sources.lines` makes records of the bytes.
"""

from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO

import zstandard

from backstory.records.base import Record

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
# Compressed bytes taken at once: few, since each may stand for thirty thousand.
SQUEEZED = 2 << 10
# Stands for what cannot be read of a frame: no record, so that it is counted as damage, and an end of the line before.
TORN = b"torn\n"
# Each has to be read twice.
MOST_TORN = 1_000
# Stands for all that lies behind so many.
UNREAD = b"unread behind so many torn frames\n"


class FrameBytes(Record, frozen=True):
    """Decompressed bytes, with the physical and logical start of the frame that they belong to."""

    data: bytes
    frame: int
    base: int


def frame_chunks(file: BinaryIO, position: int, base: int, size: int) -> Iterator[FrameBytes]:
    """The decompressed bytes from the frame that starts at `position`; a torn last frame just ends the stream.

    Of any other torn frame as much as can be read before the next one comes, then `TORN`, then that next one; `UNREAD`
    ends the stream behind `MOST_TORN`. That belongs to the whole log: who goes on there later has to count again.
    """
    torn, start, logical = 0, position, base
    unpacker = zstandard.ZstdDecompressor()  # to make one takes longer than to unpack a small frame
    while True:
        frame = _Frame(file, start, size)
        for data in frame.read(unpacker.decompressobj()):
            logical += len(data)
            yield FrameBytes(data, start, base)
        if frame.following is None:
            return
        if frame.torn:
            torn, logical = torn + 1, logical + len(TORN)
            yield FrameBytes(TORN, start, base)
        if torn == MOST_TORN:
            yield FrameBytes(UNREAD, 0, 0)
            return
        start, base = frame.following, logical
        yield FrameBytes(b"", start, base)


class _Frame:
    """The frame that starts at `start`.

    Once it was read `following` is where the next one begins, None at the end of the log; `torn` says that this one has
    no end.
    """

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        self._file = file
        self._start = start
        self._size = size
        self.following: int | None = None
        self.torn = True

    def read(self, unpacker: "zstandard.ZstdDecompressionObj") -> Iterator[bytes]:
        """What can be read of it with a fresh unpacker."""
        whole = False
        for at, data in _pieces(self._file, self._start, self._size):
            out = _unpacked(unpacker, data)
            if out is not None and unpacker.eof:
                self.torn, self.following = False, at + len(data) - len(unpacker.unused_data)
                yield out
                return
            inner = -1 if whole else data.find(ZSTD_MAGIC, at == self._start)
            if out is not None and inner >= 0:
                whole = self._ends()  # if so, the four bytes stand in it by chance
            if out is None or (inner >= 0 and not whole):
                yield from self._readable(at, data[:inner] if inner >= 0 else data)
                self.following = self._next(at + len(data)) if inner < 0 else at + inner
                return
            yield out

    def _ends(self) -> bool:
        unpacker = _unpacker()
        for _, data in _pieces(self._file, self._start, self._size):
            if _unpacked(unpacker, data) is None:
                return False
            if unpacker.eof:
                return True
        return False

    def _readable(self, reached: int, data: bytes) -> Iterator[bytes]:
        """What can be read of `data`, which lies at `reached`: byte by byte, as one call gives nothing or all."""
        unpacker = _unpacker()
        with suppress(zstandard.ZstdError):
            for _, piece in _pieces(self._file, self._start, reached):
                unpacker.decompress(piece)
            for at in range(len(data)):
                yield unpacker.decompress(data[at : at + 1])

    def _next(self, first: int) -> int | None:
        """Where a frame begins, at `first` or behind it."""
        found = ((at, data.find(ZSTD_MAGIC)) for at, data in _pieces(self._file, first, self._size))
        return next((at + inner for at, inner in found if inner >= 0), None)


def _pieces(file: BinaryIO, start: int, end: int) -> Iterator[tuple[int, bytes]]:
    """Where the bytes from `start` to `end` lie and they themselves, a few at a time; no beginning of a frame is cut.

    Others may read the file meanwhile.
    """
    while start < end:
        file.seek(start)
        data = file.read(min(max(SQUEEZED, len(ZSTD_MAGIC)), end - start))
        if not data:
            return
        if start + len(data) < end:
            data = data[: len(data) - _begun(data)]
        yield start, data
        start += len(data)


def _begun(data: bytes) -> int:
    """How many bytes at the end may be those that a frame begins with, but not all of them."""
    return next((some for some in range(len(ZSTD_MAGIC) - 1, 0, -1) if data.endswith(ZSTD_MAGIC[:some])), 0)


def _unpacker() -> "zstandard.ZstdDecompressionObj":
    return zstandard.ZstdDecompressor().decompressobj()


def _unpacked(unpacker: "zstandard.ZstdDecompressionObj", data: bytes) -> bytes | None:
    """What comes of the next bytes of a frame, None once it is damaged."""
    try:
        return unpacker.decompress(data)
    except zstandard.ZstdError:
        return None
