"""Reads single raw records of a log again by their place, plain or compressed, without parsing what lies between.

Places come from an earlier reading. Whether the bytes are still those that were read is for the caller to check.
"""

import os
from collections.abc import Mapping
from hashlib import sha256

from backstory.config.paths import open_file
from backstory.errors import UnreadableSourceError
from backstory.sources.frames import frame_chunks
from backstory.sources.lines import is_compressed
from backstory.sources.reading import MARKS


def read(path: str, places: Mapping[int, tuple[int, int]]) -> dict[int, bytes]:
    """The records at (offset, length), by seq; offsets count decompressed bytes. Records past the end are left out.

    Raises:
        UnreadableSourceError: the file cannot be opened or read.
    """
    found: dict[int, bytes] = {}
    try:
        with open_file(path) as file:
            if is_compressed(file):
                size = os.fstat(file.fileno()).st_size
                data = b"".join(chunk.data for chunk in frame_chunks(file, 0, 0, size))
                found = {seq: data[offset : offset + length] for seq, (offset, length) in places.items()}
            else:
                for seq, (offset, length) in sorted(places.items(), key=lambda pair: pair[1]):
                    file.seek(offset)
                    found[seq] = file.read(length)
    except OSError as error:
        raise UnreadableSourceError(path, error.strerror or str(error)) from error
    return {seq: raw for seq, raw in found.items() if len(raw) == places[seq][1]}


def bare(raw: bytes) -> bytes:
    """A record without what surrounds it on its line."""
    return raw.strip(b"\0\r\n \t").removeprefix(MARKS)


def digest(raw: bytes) -> bytes:
    """The hash that identifies a record."""
    return sha256(raw).digest()
