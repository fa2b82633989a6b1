"""What Pi notes of a call's tokens and dollars. Read by `message` only: indexing has no use for it."""

import msgspec

from backstory.records.budget import Prices, Usage


class _Cost(msgspec.Struct, gc=False, rename="camel"):
    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0


class _Counted(msgspec.Struct, gc=False, rename="camel"):
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cost: _Cost | None = None


_decoder = msgspec.json.Decoder(_Counted)


def counted(raw: msgspec.Raw) -> Usage | None:
    """The usage of an answer, None where none was counted or its shape is unknown."""
    if not bytes(raw):
        return None
    try:
        found = _decoder.decode(raw)
    except msgspec.DecodeError:
        return None
    if found.input + found.cache_read + found.cache_write <= 0:
        return None
    return Usage(found.input, found.cache_read, found.cache_write, found.output, _prices(found))


def _prices(found: _Counted) -> Prices | None:
    cost = found.cost
    if cost is None:
        return None
    names = Prices.__struct_fields__
    known = {name: _rate(getattr(cost, name), getattr(found, name)) for name in names}
    return Prices(**known) if any(price is not None for price in known.values()) else None


def _rate(dollars: float, tokens: int) -> float | None:
    """Dollars per million tokens; zero dollars say nothing, as models without known prices cost nothing either."""
    return round(dollars / tokens * 1e6, 6) if tokens > 0 and dollars > 0 else None
