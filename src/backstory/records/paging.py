"""Opaque cursors: what a next page must agree on with the page before it.

A cursor is written as base64url over MessagePack, about 60 characters. It is no secret and holds no text of the
request: of what it is bound to it carries hashes.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import sha256

import msgspec

from backstory.errors import InvalidCursorError, StaleCursorError
from backstory.records.base import Record

VERSION = 1
LONGEST = 1_000
FARTHEST = 1 << 31
HASHED = 8


class Cursor(Record, frozen=True):
    """`instance` names the engine or database the cursor is good for, `scope` what is paged, `generation` its state."""

    version: int
    instance: str
    scope: str
    fingerprint: str
    generation: str
    offset: int


class _Written(Record, frozen=True, array_like=True, forbid_unknown_fields=True):
    """A cursor as it is handed out, each text as its hash."""

    version: int
    instance: bytes
    scope: bytes
    fingerprint: bytes
    generation: bytes
    offset: int


def fingerprint(request: object) -> str:
    """A short hash of a canonical request."""
    return sha256(msgspec.json.encode(request, order="deterministic")).hexdigest()[:24]


def encode(cursor: Cursor) -> str:
    """The opaque text of a cursor."""
    return urlsafe_b64encode(msgspec.msgpack.encode(_written(cursor))).decode().rstrip("=")


def _written(cursor: Cursor) -> _Written:
    return _Written(
        version=cursor.version,
        instance=_hash(cursor.instance),
        scope=_hash(cursor.scope),
        fingerprint=_hash(cursor.fingerprint),
        generation=_hash(cursor.generation),
        offset=cursor.offset,
    )


def _hash(text: str) -> bytes:
    return sha256(text.encode()).digest()[:HASHED]


def resume(text: str, expected: Cursor) -> int:
    """The offset to go on from.

    Raises:
        InvalidCursorError: damaged, or of another instance, scope or request.
        StaleCursorError: the data changed since.
    """
    if len(text) > LONGEST:
        raise InvalidCursorError("the cursor is not one of ours")
    try:
        padded = text + "=" * (-len(text) % 4)
        found = msgspec.msgpack.decode(urlsafe_b64decode(padded.encode("ascii")), type=_Written)
    except (ValueError, RecursionError) as error:
        raise InvalidCursorError("the cursor is damaged") from error
    if found.version != VERSION or not 0 <= found.offset <= FARTHEST:
        raise InvalidCursorError("the cursor is not one of ours")
    wanted = _written(expected)
    for part, words in _WORDS.items():
        if getattr(found, part) != getattr(wanted, part):
            raise InvalidCursorError(f"the cursor belongs to another {words}")
    if found.generation != wanted.generation:
        raise StaleCursorError("the index changed since this cursor was made: start again without it")
    return found.offset


_WORDS = {"instance": "database or engine", "scope": "kind of search", "fingerprint": "request"}
