"""Finds out by its first bytes which agent wrote a file."""

from collections.abc import Sequence
from typing import BinaryIO

from backstory.errors import UnreadableSourceError
from backstory.sources.base import Source
from backstory.sources.lines import ZSTD_MAGIC, frame_chunks

HEAD = 64 << 10


def recognise(path: str, sources: Sequence[Source]) -> Source | None:
    """The first source that knows the file by its content.

    Raises:
        UnreadableSourceError: the file cannot be opened or read.
    """
    try:
        with open(path, "rb") as file:
            head = file.read(HEAD)
            if head.startswith(ZSTD_MAGIC):
                head = _decompressed(file, len(head))
    except OSError as error:
        raise UnreadableSourceError(path, error.strerror or str(error)) from error
    return next(
        (source for source in sources if path.endswith(source.location.suffixes) and source.recognise(path, head)), None
    )


def _decompressed(file: BinaryIO, size: int) -> bytes:
    out = b""
    for chunk in frame_chunks(file, 0, 0, size):
        out += chunk.data
        if len(out) >= HEAD:
            break
    return out[:HEAD]
