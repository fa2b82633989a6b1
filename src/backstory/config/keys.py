"""Walks the tree of settings: which keys there are, what each may hold, and from loose values to a `Config`.

Loose values are kept flat, by path, so that sources can be laid over one another value by value.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

import msgspec

from backstory.records.config import Config

Path = tuple[str, ...]
_PLAIN = {"int": "a whole number", "float": "a number", "bool": "true or false", "str": "a text", "array": "a list"}
# More of anything than will ever be meant; the database holds no numbers much larger.
MOST = 10**12
_NO_TABLE = "is a table of settings, not a value"


class Fault(msgspec.Struct, frozen=True):
    """A value or key that cannot be used, and why."""

    path: Path
    reason: str


def read(given: Mapping[str, Any], *, text: bool = False) -> tuple[dict[Path, Any], list[Fault]]:
    """The usable values of nested tables, by path, and the faults of the rest. With `text` every value is a string."""
    reader = _Reader(text=text)
    reader.table(Config, given, ())
    return reader.values, reader.faults


def build(values: Mapping[Path, Any]) -> Config:
    """The settings with these values over the defaults."""
    nested: dict[str, Any] = {}
    for path, value in values.items():
        table = nested
        for name in path[:-1]:
            table = table.setdefault(name, {})
        table[path[-1]] = value
    return msgspec.convert(nested, Config)


def leaves(value: Any = Config(), path: Path = ()) -> Iterator[tuple[Path, Any]]:  # noqa: B008
    """Every single setting of a tree with its value, in the order of its definition."""
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from leaves(getattr(value, name), (*path, name))
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from leaves(item, (*path, name))
    else:
        yield path, value


def dotted(path: Path) -> str:
    """A path as people write it; names with signs in them are quoted."""
    return ".".join(name if name.replace("_", "").replace("-", "").isalnum() else f'"{name}"' for name in path)


def hints(record: Any) -> Mapping[str, Any]:
    """The fields of a record and what they may hold."""
    return get_type_hints(record, include_extras=True)


def bare(hint: Any) -> Any:
    """A type without its description and bounds, and without the None of an optional record."""
    if get_origin(hint) is Annotated:
        return bare(get_args(hint)[0])
    records = [one for one in get_args(hint) if isinstance(one, type) and issubclass(one, msgspec.Struct)]
    return records[0] if records and get_origin(hint) is not dict else hint


class _Reader:
    def __init__(self, *, text: bool) -> None:
        self._text = text
        self.values: dict[Path, Any] = {}
        self.faults: list[Fault] = []

    def table(self, record: type[Any], given: Any, at: Path) -> None:
        if not isinstance(given, Mapping):
            self.faults.append(Fault(at, _NO_TABLE))
            return
        known = hints(record)
        for name, value in given.items():
            if name in known:
                self._value(known[name], value, (*at, name))
            else:
                near = _nearest(str(name), known)
                self.faults.append(
                    Fault((*at, str(name)), f"no such setting{f'; did you mean {near}?' if near else ''}")
                )

    def _value(self, hint: Any, value: Any, at: Path) -> None:
        kind = bare(hint)
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            self.table(kind, value, at)
        elif get_origin(kind) is dict:
            if not isinstance(value, Mapping):
                self.faults.append(Fault(at, _NO_TABLE))
                return
            for name, item in value.items():
                self._value(get_args(kind)[1], item, (*at, str(name)))
        else:
            self._leaf(hint, value, at)

    def _leaf(self, hint: Any, value: Any, at: Path) -> None:
        kind = bare(hint)
        try:
            given = _parts(kind, value) if self._text else value
            usable = msgspec.convert(given, hint, strict=not self._text)
        except msgspec.ValidationError as error:
            self.faults.append(Fault(at, f"{_words(error)}{_choices(kind)}"))
            return
        if isinstance(usable, int | float) and usable > MOST:
            self.faults.append(Fault(at, f"expected a number of at most {MOST}"))
        else:
            self.values[at] = usable


def _nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that shares most pairs of letters with this one, if it shares most of them."""
    ours = _pairs(name)
    scored = [
        (2 * len(ours & theirs) / (len(ours) + len(theirs)), other) for other in known if (theirs := _pairs(other))
    ]
    score, best = max(scored, default=(0.0, ""))
    return best if score >= 0.6 else None


def _pairs(name: str) -> set[str]:
    return {name[at : at + 2] for at in range(len(name) - 1)}


def _parts(kind: Any, text: Any) -> Any:
    """The parts of a text that stands for a list; any other text as it is."""
    if get_origin(kind) is tuple and isinstance(text, str):
        return [part.strip() for part in text.split(",") if part.strip()]
    return text


def _words(error: msgspec.ValidationError) -> str:
    told = str(error).replace("Invalid enum value", "cannot be").replace("Expected", "expected")
    for code, word in _PLAIN.items():
        told = told.replace(f"`{code}`", word)
    return told.replace("`", "").replace(">=", "of at least").replace("<=", "of at most").replace(">", "above")


def _choices(kind: Any) -> str:
    options = [one for part in (kind, *get_args(kind)) if get_origin(part) is Literal for one in get_args(part)]
    return f"; choose one of {', '.join(map(str, options))}" if options else ""
