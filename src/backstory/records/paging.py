"""The pages of an answer, and the opaque cursors that lead from one to the next.

`Pages` is all that a use case needs: it asks for one item more than a page holds, and what is left over says that
another page follows.

A cursor is written as base64url over MessagePack, about 40 characters; one of literal search is longer, since it says
behind which item to go on. It is no secret and holds no text of the request: of what it is bound to it carries
checksums, which tell one request from another and protect nothing. So they are the ones that cost no start-up time: a
cryptographic hash would take longer to load than most pages to find.
"""

from binascii import a2b_base64, b2a_base64, crc32
from collections.abc import Sequence

import msgspec

from backstory.errors import InvalidCursorError, InvalidTextError, StaleCursorError
from backstory.records.base import Record

VERSION = 1
LONGEST = 1_000
FARTHEST = 1 << 31
SUMMED = 4
LONGEST_NAME = 200
WIDEST = 1 << 62

Key = tuple[int, int, str, int, int]
"""Where an item stands in the order of literal search: rank, time, session id, number, row id."""


class Cursor(Record, frozen=True):
    """`instance` names the engine or database the cursor is good for, `scope` what is paged, `generation` its state.

    `after` is the key of the last item before `offset`, where the order has keys.
    """

    version: int
    instance: str
    scope: str
    fingerprint: str
    generation: str
    offset: int = 0
    after: Key | None = None


class Slice(Record, frozen=True):
    """So many items of an order from `offset` on; `after` is the key of the item before them, if it is known."""

    offset: int
    limit: int
    after: Key | None = None

    @property
    def skipped(self) -> int:
        """How many items there are to pass over."""
        return 0 if self.after else self.offset


class Pages:
    """The pages of one request, each of `limit` items at most; `here` is what their cursors are bound to."""

    def __init__(self, here: Cursor, limit: int) -> None:
        self._here = here
        self.limit = limit

    def part(self, cursor: str | None) -> Slice:
        """What to look up for the page behind a cursor, or for the first one: its items and one more.

        Raises:
            InvalidCursorError: damaged, or of another instance, scope or request.
            StaleCursorError: the data changed since.
        """
        offset, key = position(cursor, self._here) if cursor else (0, None)
        return Slice(offset, self.limit + 1, key)

    def following(self, part: Slice, found: Sequence[object], keys: Sequence[Key] = ()) -> str | None:
        """The cursor of the next page, if more was `found` than one holds; `keys` are theirs, if there are any."""
        if len(found) <= self.limit:
            return None
        key = keys[self.limit - 1] if keys else None
        return encode(msgspec.structs.replace(self._here, offset=part.offset + self.limit, after=key))


class _Written(Record, frozen=True, array_like=True, omit_defaults=True, forbid_unknown_fields=True):
    """A cursor as it is handed out, each text as its checksum."""

    version: int
    instance: bytes
    scope: bytes
    fingerprint: bytes
    generation: bytes
    offset: int
    after: Key | None = None


def fingerprint(request: object) -> str:
    """A checksum of a canonical request.

    Raises:
        InvalidTextError: a text in it holds half of a surrogate pair.
    """
    try:
        return _sum(msgspec.json.encode(request, order="deterministic")).hex()
    except UnicodeEncodeError as error:
        raise InvalidTextError from error


def encode(cursor: Cursor) -> str:
    """The opaque text of a cursor."""
    return b2a_base64(msgspec.msgpack.encode(_written(cursor)), newline=False).translate(_SAFE).decode().rstrip("=")


def _written(cursor: Cursor) -> _Written:
    return _Written(
        version=cursor.version,
        instance=_sum(cursor.instance.encode()),
        scope=_sum(cursor.scope.encode()),
        fingerprint=_sum(cursor.fingerprint.encode()),
        generation=_sum(cursor.generation.encode()),
        offset=cursor.offset,
        # An item whose session has an overlong id is found again by counting.
        after=cursor.after if cursor.after and len(cursor.after[2].encode()) <= LONGEST_NAME else None,
    )


def _sum(data: bytes) -> bytes:
    return crc32(data).to_bytes(SUMMED)


def position(text: str, expected: Cursor) -> tuple[int, Key | None]:
    """The offset to go on from, and the key of the item before it if the cursor has one.

    Raises:
        InvalidCursorError: damaged, or of another instance, scope or request.
        StaleCursorError: the data changed since.
    """
    if not isinstance(text, str):
        raise InvalidCursorError("a cursor is text")
    if len(text) > LONGEST:
        raise InvalidCursorError("the cursor is not one of ours")
    try:
        padded = text.encode("ascii").translate(_PLAIN) + b"=" * (-len(text) % 4)
        found = msgspec.msgpack.decode(a2b_base64(padded), type=_Written)
    except (ValueError, RecursionError) as error:
        raise InvalidCursorError("the cursor is damaged") from error
    if found.version != VERSION or not 0 <= found.offset <= FARTHEST:
        raise InvalidCursorError("the cursor is not one of ours")
    if any(isinstance(value, int) and abs(value) > WIDEST for value in found.after or ()):
        raise InvalidCursorError("the cursor is not one of ours")
    wanted = _written(expected)
    for part, words in _WORDS.items():
        if getattr(found, part) != getattr(wanted, part):
            raise InvalidCursorError(f"the cursor belongs to another {words}")
    if found.generation != wanted.generation:
        raise StaleCursorError("the index changed since this cursor was made")
    return found.offset, found.after


_SAFE = bytes.maketrans(b"+/", b"-_")
_PLAIN = bytes.maketrans(b"-_", b"+/")
_WORDS = {"instance": "database or engine", "scope": "kind of search", "fingerprint": "request"}
