"""Cuts a Gemini session document into its header, its messages and its title without copying the text twice.

Before it: the bytes of one `.json` file. After it: `parse`, which reads the pieces as if they were lines.
"""

import re
from collections.abc import Iterator

import msgspec

from backstory.sources.decode import paired

_MESSAGES = re.compile(rb'"messages"\s*:\s*\[')
_TITLE = rb'"summary"\s*:\s*'


class _Document(msgspec.Struct, gc=False):
    messages: list[msgspec.Raw] | None = None
    summary: msgspec.Raw = msgspec.Raw()


_decoder = msgspec.json.Decoder(_Document)


def is_document(path: str) -> bool:
    """Whether a file is one document; the others hold lines."""
    return path.endswith(".json")


def split(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The whole document as its header at offset 0, then each message at its own offset, then a title as a bare string.

    The title comes last, so that no message gets another number when the session gets its name.
    Raises `msgspec.DecodeError` when the file is not one JSON object whose messages are a list.
    """
    text = paired(data)
    document = _decoded(text)
    yield 0, data
    opening = _MESSAGES.search(text)
    start = at = opening.end() if opening else 0
    for raw in document.messages or ():
        offset = text.find(bytes(raw), at)
        at = offset + len(bytes(raw))
        yield offset, data[offset:at]
    written = bytes(document.summary)
    if written.startswith(b'"'):
        title = re.compile(_TITLE + re.escape(written))
        if found := title.search(text, at) or title.search(text, 0, start):
            yield found.end() - len(written), data[found.end() - len(written) : found.end()]


def _decoded(text: bytes) -> _Document:
    try:
        return _decoder.decode(text)
    except RecursionError:
        raise msgspec.DecodeError("nested too deeply") from None
