"""Cuts a Gemini session document into its header and its messages without copying the text twice.

Before it: the bytes of one `.json` file. After it: `parse`, which reads the pieces as if they were lines.
"""

import re
from collections.abc import Iterator

import msgspec

from backstory.sources.decode import paired

_MESSAGES = re.compile(rb'"messages"\s*:\s*\[')


class _Document(msgspec.Struct, gc=False):
    messages: list[msgspec.Raw] | None = None


_decoder = msgspec.json.Decoder(_Document)


def split(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The whole document as its header at offset 0, then each message at its own offset.

    Raises `msgspec.DecodeError` when the file is not one JSON object whose messages are a list.
    """
    text = paired(data)
    document = _decoded(text)
    yield 0, data
    opening = _MESSAGES.search(text)
    at = opening.end() if opening else 0
    for raw in document.messages or ():
        offset = text.find(bytes(raw), at)
        at = offset + len(bytes(raw))
        yield offset, data[offset:at]


def _decoded(text: bytes) -> _Document:
    try:
        return _decoder.decode(text)
    except RecursionError:
        raise msgspec.DecodeError("nested too deeply") from None
