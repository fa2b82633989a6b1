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


class FrameBytes(Record, frozen=True):
    """Decompressed bytes, with the physical and logical start of the frame that they belong to."""

    data: bytes
    frame: int
    base: int


def frame_chunks(file: BinaryIO, position: int, base: int, size: int) -> Iterator[FrameBytes]:
    """The decompressed bytes from the frame that starts at `position`; a torn last frame just ends the stream.

    Of any other torn frame as much as can be read before the next one comes, then `TORN`, then that next one.
    """
    file.seek(position)
    fresh = zstandard.ZstdDecompressor().decompressobj
    frame = fresh()
    start, logical, read, torn = position, base, position, 0
    data, kept, sound = b"", b"", False
    while True:
        if not data:
            data = file.read(max(min(SQUEEZED, size - read), 0))
            read += len(data)
        if not data:
            return
        out = _decompressed(frame, data)
        if out is not None and frame.eof:
            logical += len(out)
            yield FrameBytes(out, start, base)
            data = frame.unused_data
            start, base, kept, sound = read - len(data), logical, b"", False
            frame = fresh()
            yield FrameBytes(b"", start, base)
            continue
        begin = read - len(data)
        inner = None if sound else _beginning(kept, data, begin, start)
        if out is not None and inner is not None:
            # The four bytes may stand in a frame by chance: it is torn if it never ends.
            sound = _ends(file, start, size)
            file.seek(read)
        if out is not None and (sound or inner is None):
            logical += len(out)
            yield FrameBytes(out, start, base)
            data, kept = b"", (kept + data)[1 - len(ZSTD_MAGIC) :]
            continue
        for piece in _readable(file, start, begin, data if inner is None else data[: max(inner - begin, 0)]):
            logical += len(piece)
            yield FrameBytes(piece, start, base)
        following = _next(file, max(start + 1, begin - 3), size) if inner is None else inner
        if following is None or torn == MOST_TORN:
            return
        torn, logical = torn + 1, logical + len(TORN)
        yield FrameBytes(TORN, start, base)
        file.seek(following)
        start, base, read, data, kept, sound = following, logical, following, b"", b"", False
        frame = fresh()
        yield FrameBytes(b"", start, base)


def _beginning(kept: bytes, data: bytes, begin: int, start: int) -> int | None:
    """Where behind `start` a frame begins in `data`, which lies at `begin`, or in the bytes `kept` before it."""
    first = begin - len(kept)
    found = (kept + data).find(ZSTD_MAGIC, max(start + 1 - first, 0))
    return None if found < 0 else first + found


def _decompressed(frame: "zstandard.ZstdDecompressionObj", data: bytes) -> bytes | None:
    try:
        return frame.decompress(data)
    except zstandard.ZstdError:
        return None


def _ends(file: BinaryIO, start: int, size: int) -> bool:
    """Whether the frame that starts at `start` is whole."""
    frame = zstandard.ZstdDecompressor().decompressobj()
    file.seek(start)
    while not frame.eof and (piece := file.read(max(min(SQUEEZED, size - start), 0))):
        start += len(piece)
        if _decompressed(frame, piece) is None:
            return False
    return frame.eof


def _readable(file: BinaryIO, start: int, reached: int, data: bytes) -> Iterator[bytes]:
    """What can be read of `data`, in which the frame that starts at `start` and is read up to `reached` is damaged.

    Byte by byte, so that as much comes of it however the bytes before were taken.
    """
    frame = zstandard.ZstdDecompressor().decompressobj()
    file.seek(start)
    with suppress(zstandard.ZstdError):
        while start < reached and (piece := file.read(min(SQUEEZED, reached - start))):
            start += len(piece)
            frame.decompress(piece)
        for at in range(len(data)):
            yield frame.decompress(data[at : at + 1])


def _next(file: BinaryIO, position: int, size: int) -> int | None:
    """Where the first frame begins at or behind `position`."""
    file.seek(position)
    kept = b""
    while position < size and (piece := file.read(min(SQUEEZED, size - position))):
        found = _beginning(kept, piece, position, -1)
        if found is not None:
            return found
        position += len(piece)
        kept = (kept + piece)[1 - len(ZSTD_MAGIC) :]
    return None
