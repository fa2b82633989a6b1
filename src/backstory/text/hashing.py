"""SHA-256 in the forms the product needs: of text, of a JSON value, and of a sequence of such values.

Lone surrogates (possible in JSON of any agent) are hashed as they stand instead of failing.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from backstory.text import canonical


def of_text(text: str) -> str:
    """Lower-case hex of the UTF-8 bytes of `text`."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def of_value(value: Any) -> str:
    """Lower-case hex of the canonical JSON of `value`."""
    return sha256(canonical.encode(value)).hexdigest()


def digest(value: Any) -> bytes:
    """What `of_value` gives, as bytes."""
    return sha256(canonical.encode(value)).digest()


def of_digests(values: Iterable[bytes]) -> str:
    """Lower-case hex over the digests of some values, in order."""
    return sha256(b"".join(values)).hexdigest()


def of_sequence(values: Iterable[Any]) -> str:
    """Lower-case hex over the number of values, then each one's byte length and canonical JSON.

    Lengths stand before the bytes, so that no two different sequences share a pre-image.
    """
    encoded = [canonical.encode(value) for value in values]
    digest = sha256(b"%d\n" % len(encoded))
    for data in encoded:
        digest.update(b"%d:" % len(data))
        digest.update(data)
        digest.update(b"\n")
    return digest.hexdigest()
