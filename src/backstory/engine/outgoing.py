"""What leaves is redacted once more: an index that was filled under older rules may hold what newer ones find."""

from collections.abc import Iterator
from typing import Any, TypeVar

import msgspec

from backstory.privacy.secrets import named, redact, suspect

T = TypeVar("T")

_TEXTS = frozenset({"text", "title", "snippet"})
_NAMES = frozenset({"tool", "cwd"})


def outgoing(answer: T) -> T:
    """The same answer, a record or a list of them, without credentials in what it tells; itself where it has none.

    Texts, titles, snippets, folders and names of tools are looked at, at any depth.
    """
    return _redacted(answer) if any(_telling(answer)) else answer


def _telling(value: Any) -> Iterator[bool]:
    """Whether each of the texts inside holds a credential."""
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            inner = getattr(value, name)
            if isinstance(inner, str):
                if name in _TEXTS:
                    yield suspect(inner, many=True)
                elif name in _NAMES:
                    yield named(inner) != inner
            elif inner is not None:
                yield from _telling(inner)
    elif isinstance(value, (tuple, list)):
        for inner in value:
            yield from _telling(inner)


def _redacted(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return type(value)(map(_redacted, value))
    if not isinstance(value, msgspec.Struct):
        return value
    changes = {}
    for name in value.__struct_fields__:
        inner = getattr(value, name)
        if isinstance(inner, str):
            found = redact(inner)[0] if name in _TEXTS or name in _NAMES else inner
        else:
            found = _redacted(inner)
        if found is not inner:
            changes[name] = found
    return msgspec.structs.replace(value, **changes) if changes else value
