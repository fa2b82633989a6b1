"""Cuts a Gemini session document into its header and its messages without copying the text twice.

Before it: the bytes of one `.json` file. After it: `parse`, which reads the pieces as if they were lines.
"""

import re
from collections.abc import Iterator

import msgspec

_MESSAGES = re.compile(rb'"messages"\s*:\s*\[')


class _Document(msgspec.Struct, gc=False):
    messages: list[msgspec.Raw] | None = None


_decoder = msgspec.json.Decoder(_Document)


def split(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The whole document as its header at offset 0, then each message at its own offset.

    Raises `msgspec.DecodeError` when the file is not one JSON object whose messages are a list.
    """
    try:
        document = _decoder.decode(data)
    except RecursionError:
        raise msgspec.DecodeError("nested too deeply") from None
    yield 0, data
    opening = _MESSAGES.search(data)
    at = opening.end() if opening else 0
    for raw in document.messages or ():
        piece = bytes(raw)
        offset = data.find(piece, at)
        at = offset + len(piece)
        yield offset, piece
