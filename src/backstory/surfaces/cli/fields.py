"""What the command line makes of the fields of a request record: arguments with or without a flag.

Used by `quick`, which reads the usual command line, and `parser`, which reads every other one.
"""

from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec

from backstory.records.base import Record

# Fields whose words are free: whatever is no option of the command is one of them.
LINE = "line"
FREE = ("query", LINE)


class Field(Record, frozen=True):
    """One argument: `plain` is the type of a value, `many` says that it takes several, `default` may be NODEFAULT."""

    name: str
    plain: type
    many: bool
    positional: bool
    default: Any
    help: str | None

    @property
    def flag(self) -> str:
        """How the field is named on the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def required(self) -> bool:
        """Whether a request cannot be made without it."""
        return self.default is msgspec.NODEFAULT


def fields(request: type[Any]) -> list[Field]:
    """The arguments of a request record, in the order of its fields."""
    return [_field(field) for field in msgspec.structs.fields(request)]


def _field(field: msgspec.structs.FieldInfo) -> Field:
    hint: Any = field.type
    kind, meta = (get_args(hint)[0], get_args(hint)[1]) if get_origin(hint) is Annotated else (hint, None)
    positional = bool(meta and meta.extra and meta.extra.get("positional"))
    many, plain = _plain(kind)
    return Field(field.name, plain, many, positional, field.default, meta.description if meta else None)


def _plain(kind: Any) -> tuple[bool, type]:
    """Whether a field takes several values, and the type of one."""
    if get_origin(kind) in {Union, UnionType}:
        kind = next(option for option in get_args(kind) if option is not NoneType)
    if get_origin(kind) is tuple:
        return True, get_args(kind)[0]
    return False, kind
