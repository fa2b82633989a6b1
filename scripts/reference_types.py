"""Reads request and answer records for the reference: their fields, types in words, defaults and descriptions."""

from collections.abc import Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin, get_type_hints

import msgspec

WORDS: Mapping[Any, str] = {
    str: "text",
    int: "integer",
    float: "number",
    bool: "true or false",
    bytes: "text (base64)",
    Any: "any JSON",
    object: "any JSON",
    NoneType: "null",
}
LISTS = (tuple, list, set, frozenset)


class Field(NamedTuple):
    """One field of a record; `type` is the annotation without its description."""

    name: str
    type: Any
    help: str
    positional: bool
    required: bool
    default: Any


def fields(record: type[Any]) -> list[Field]:
    """The fields of a record in the order of its definition."""
    hints = get_type_hints(record, include_extras=True)
    return [_field(field, hints[field.name]) for field in msgspec.structs.fields(record)]


def _field(field: msgspec.structs.FieldInfo, hint: Any) -> Field:
    meta = None
    if get_origin(hint) is Annotated:
        hint, meta = get_args(hint)[:2]
    positional = bool(meta and meta.extra and meta.extra.get("positional"))
    required = field.required
    default = None if required else field.default
    if default is msgspec.NODEFAULT:
        default = field.default_factory() if callable(field.default_factory) else None
    return Field(field.encode_name, hint, (meta and meta.description) or "", positional, required, default)


def parts(kind: Any) -> list[Any]:
    """The alternatives of a type, one for a plain type."""
    if get_origin(kind) is Annotated:
        return parts(get_args(kind)[0])
    return list(get_args(kind)) if get_origin(kind) in {Union, UnionType} else [kind]


def plain(kind: Any) -> tuple[bool, Any]:
    """Whether a field takes several values, and the type of one: as the command line sees it."""
    kind = next(part for part in parts(kind) if part is not NoneType)
    return (True, get_args(kind)[0]) if get_origin(kind) in LISTS else (False, kind)


def words(kind: Any, names: Mapping[type[Any], str]) -> str:
    """A type in words; records become links to their own table."""
    return " or ".join(dict.fromkeys(_word(part, names) for part in parts(kind)))


def _word(kind: Any, names: Mapping[type[Any], str]) -> str:
    if kind in names:
        return f"[{names[kind]}](#{names[kind].lower()})"
    if kind in WORDS:
        return WORDS[kind]
    if isinstance(kind, type) and issubclass(kind, Enum):
        return ", ".join(f"`{member.value}`" for member in kind)
    return _composed(get_origin(kind), get_args(kind), names)


def _composed(origin: Any, inner: tuple[Any, ...], names: Mapping[type[Any], str]) -> str:
    if origin is Literal:
        return ", ".join(f"`{value}`" for value in inner)
    if origin in LISTS:
        several = [part for part in inner if part is not Ellipsis]
        if len(several) == 1:
            return f"list of {words(several[0], names)}"
        return f"list [{', '.join(words(part, names) for part in several)}]"
    return f"object of {words(inner[1], names)}" if len(inner) == 2 else "object"


def records(kind: Any) -> list[type[Any]]:
    """The records that a type holds, itself included, each once, outer ones first."""
    found: dict[type[Any], None] = {}
    _collect(kind, found)
    return list(found)


def _collect(kind: Any, found: dict[type[Any], None]) -> None:
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        if kind not in found:
            found[kind] = None
            for field in fields(kind):
                _collect(field.type, found)
        return
    for part in get_args(kind):
        _collect(part, found)
