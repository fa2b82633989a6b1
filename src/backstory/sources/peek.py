"""Decodes what stands first in a file, for sources that recognise their sessions by it.

Reading a session is `sources.reading`'s concern. Used by the adapters, whose decoders say how much of a record counts.
"""

from collections.abc import Iterator
from typing import TypeVar

import msgspec

T = TypeVar("T")

LINES = 32
# Byte order marks, the NULs of a crash, and blanks.
AROUND = b"\xef\xbb\xbf\0\r \t"


def peek(decoder: msgspec.json.Decoder[T], head: bytes) -> Iterator[T]:
    """The records among the first 32 lines of a head; lines that are damaged or of another shape are passed over."""
    for line in head.split(b"\n", LINES)[:LINES]:
        try:
            yield decoder.decode(line.strip(AROUND))
        except msgspec.DecodeError:
            continue
