"""One byte form per JSON value: sorted keys, no blanks, non-ASCII literal.

Hashes, equality of plans and stored manifests rest on it. It does not decide what is hashed: see `text.hashing`.
"""

from typing import Any

import msgspec

from backstory.errors import InvalidTextError

_SORTED = msgspec.json.Encoder(order="sorted")
_AS_GIVEN = msgspec.json.Encoder()


def encode(value: Any) -> bytes:
    """Canonical JSON of records, dicts, lists, strings, numbers, booleans and None; keys in code-point order.

    Raises:
        InvalidTextError: a string in it holds half of a surrogate pair.
    """
    return _encoded(_SORTED, value)


def size(value: Any) -> int:
    """How many bytes `encode` gives, without putting keys in order; raises the same."""
    return len(_encoded(_AS_GIVEN, value))


def compact(value: Any) -> str:
    """Compact JSON with keys in their own order, the form a model call would carry; other values as plain text."""
    try:
        return _AS_GIVEN.encode(value).decode()
    except (TypeError, ValueError, RecursionError):
        return str(value)


def _encoded(encoder: msgspec.json.Encoder, value: Any) -> bytes:
    try:
        return encoder.encode(value)
    except UnicodeEncodeError as error:
        raise InvalidTextError from error
