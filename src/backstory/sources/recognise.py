"""Finds out by its first bytes which agent wrote a file."""

from collections.abc import Iterator, Sequence
from typing import BinaryIO

from backstory.config.paths import open_file
from backstory.errors import UnreadableSourceError
from backstory.sources.base import Source
from backstory.sources.frames import ZSTD_MAGIC, frame_chunks

HEAD = 64 << 10


def recognise(path: str, sources: Sequence[Source]) -> Source | None:
    """The first source that knows the file by its content.

    Raises:
        UnreadableSourceError: the file cannot be opened or read.
    """
    able = [source for source in sources if path.endswith(source.location.suffixes)]
    head = b""
    try:
        with open_file(path) as file:
            for head in _heads(file):
                # Nearly always the first of them knows the file by its first line.
                if able and able[0].recognise(path, head):
                    return able[0]
    except OSError as error:
        raise UnreadableSourceError(path, error.strerror or str(error)) from error
    return next((source for source in able[1:] if source.recognise(path, head)), None)


def _heads(file: BinaryIO) -> Iterator[bytes]:
    """The beginning of a file; of a compressed one first as much as was decompressed at once."""
    head = file.read(HEAD)
    if not head.startswith(ZSTD_MAGIC):
        yield head
        return
    out = b""
    for chunk in frame_chunks(file, 0, 0, len(head)):
        if chunk.data and not out:
            yield chunk.data[:HEAD]
        out += chunk.data
        if len(out) >= HEAD:
            break
    yield out[:HEAD]
