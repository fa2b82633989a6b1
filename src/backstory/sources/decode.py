"""Decodes one native record into a typed struct, whatever agents and crashes did to it.

Agents write lone surrogates, broken UTF-8 and numbers no float holds; a strict decoder alone would lose such records.
Cutting files into records is not done here (see `sources.lines`). Used by the adapters.
"""

import json
import re
from typing import Any, TypeVar

import msgspec

T = TypeVar("T")

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
# Escaped backslashes and proper pairs are matched first, so that what the group matches stands alone.
_ESCAPE = re.compile(
    rb"\\\\|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})"
)
_LONGEST_NUMBER = 64
_any = msgspec.json.Decoder()


def typed(decoder: msgspec.json.Decoder[T], raw: bytes) -> T | None:
    """The record as the decoder's type, or None when it is JSON of another shape.

    Text that is not valid Unicode gets U+FFFD in place of each bad unit. Raises `msgspec.DecodeError`, and nothing
    else, when the bytes are not JSON.
    """
    try:
        return decoder.decode(raw)
    except RecursionError:
        raise msgspec.DecodeError("nested too deeply") from None
    except msgspec.ValidationError:
        untyped(raw)
        return None
    except msgspec.DecodeError:
        if not repairable(raw):
            raise
    try:
        return decoder.decode(repaired(raw))
    except RecursionError:
        raise msgspec.DecodeError("nested too deeply") from None
    except msgspec.ValidationError:
        return None


def untyped(raw: bytes) -> Any:
    """The record as plain Python values, repaired as in `typed`; raises `msgspec.DecodeError` when it is not JSON."""
    try:
        return _any.decode(raw)
    except RecursionError:
        raise msgspec.DecodeError("nested too deeply") from None
    except msgspec.ValidationError:
        return _loads(raw)
    except msgspec.DecodeError:
        if not repairable(raw):
            raise
    return _loads(raw)


def repairable(raw: bytes) -> bool:
    """Whether bad Unicode may be what keeps the record from being decoded."""
    if _SURROGATE.search(raw):
        return True
    try:
        raw.decode()
    except UnicodeDecodeError:
        return True
    return False


def repaired(raw: bytes) -> bytes:
    """The same bytes with U+FFFD for every lone surrogate and every invalid byte."""
    return paired(raw).decode("utf-8", "replace").encode()


def paired(raw: bytes) -> bytes:
    """The same JSON, byte for byte as long, with the escape of U+FFFD for every lone surrogate's."""
    return _ESCAPE.sub(lambda found: found[0] if found[1] is None else b"\\ufffd", raw)


def number(digits: str) -> int | float:
    """A whole number; one longer than any counter is what a float makes of it, as Python refuses to read it exactly."""
    return int(digits) if len(digits) <= _LONGEST_NUMBER else float(digits)


def _loads(raw: bytes) -> Any:
    try:
        return json.loads(repaired(raw), parse_int=number)
    except ValueError as error:
        raise msgspec.DecodeError(str(error)) from None
    except RecursionError:
        raise msgspec.DecodeError("nested too deeply") from None
