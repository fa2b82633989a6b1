"""What was added to the ledger since a place that was reached earlier: how things made from it are kept up to date.

Neighbour: `store.ledger` writes it and reads it from its beginning.
"""

from hashlib import sha256
from typing import Any, BinaryIO

from backstory.config.paths import Folder, open_file
from backstory.store.ledger import location, parsed, unreadable

MARKED = 4_096


def since(home: Folder, offset: int, tail: bytes) -> tuple[list[dict[str, Any]], int, bytes] | None:
    """(records, offset, tail) of what follows a place reached earlier; start with offset 0 and an empty tail.

    `tail` identifies the bytes before the place. None when others stand there now: whoever keeps something made from
    the ledger has to begin again.

    Raises:
        UnreadableSourceError: there is a ledger, but it cannot be read.
    """
    try:
        with open_file(location(home)) as stream:
            return _following(stream, offset, tail)
    except FileNotFoundError:
        return ([], 0, b"") if offset == 0 else None
    except OSError as error:
        raise unreadable(home, error) from error


def _following(stream: BinaryIO, offset: int, tail: bytes) -> tuple[list[dict[str, Any]], int, bytes] | None:
    if offset and _mark(stream, offset) != tail:
        return None
    stream.seek(offset)
    found = []
    for line in stream:
        if not line.endswith(b"\n"):
            break
        offset += len(line)
        if (record := parsed(line)) is not None:
            found.append(record)
    return found, offset, _mark(stream, offset)


def _mark(stream: BinaryIO, offset: int) -> bytes:
    start = max(0, offset - MARKED)
    stream.seek(start)
    return sha256(stream.read(offset - start)).digest() if offset else b""
