"""Finds out by its first bytes which agent wrote a file."""

from collections.abc import Sequence

import zstandard

from backstory.errors import UnreadableSourceError
from backstory.sources.base import Source
from backstory.sources.lines import ZSTD_MAGIC

HEAD = 64 << 10


def recognise(path: str, sources: Sequence[Source]) -> Source | None:
    """The first source that knows the file by its content.

    Raises:
        UnreadableSourceError: the file cannot be opened or read.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
    except OSError as error:
        raise UnreadableSourceError(path, error.strerror or str(error)) from error
    if head.startswith(ZSTD_MAGIC):
        head = _decompressed(head)
    return next(
        (source for source in sources if path.endswith(source.location.suffixes) and source.recognise(path, head)), None
    )


def _decompressed(head: bytes) -> bytes:
    out = b""
    while head and len(out) < HEAD:
        frame = zstandard.ZstdDecompressor().decompressobj()
        try:
            out += frame.decompress(head)
        except zstandard.ZstdError:
            break
        head = frame.unused_data if frame.eof else b""
    return out[:HEAD]
