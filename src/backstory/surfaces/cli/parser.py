"""Derives one argument parser from one request record: fields become flags, their descriptions become help.

Only the parser of the command that was typed is ever built.
"""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Union, get_args, get_origin, get_type_hints

import msgspec

# Fields whose words are free: whatever is no option of the command is one of them.
FREE = ("query", "line")
# No argument can hold this character, so it hides a word from the option parser and is taken off again.
MARK = "\0"


def build(command: str, summary: str, request: type[Any]) -> argparse.ArgumentParser:
    """The parser of one command."""
    parser = argparse.ArgumentParser(prog=f"backstory {command}", description=summary, allow_abbrev=False)
    hints = get_type_hints(request, include_extras=True)
    for field in msgspec.structs.fields(request):
        add_field(parser, field, hints[field.name])
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    return parser


def parse(parser: argparse.ArgumentParser, request: type[Any], words: Sequence[str]) -> argparse.Namespace:
    """What was typed. In a command that takes a query or a line, whatever is no option of it is a word of that."""
    hints = get_type_hints(request, include_extras=True)
    free = next((name for name in FREE if name in hints), None)
    if free is None:
        return parser.parse_args(words)
    flags = {f"--{name.replace('_', '-')}": _plain(_bare(hint))[1] is not bool for name, hint in hints.items()}
    given = parser.parse_intermixed_args(list(_marked(words, flags | {"--json": False, "--help": False, "-h": False})))
    setattr(given, free, [word.removeprefix(MARK) for word in getattr(given, free)])
    return given


def _marked(words: Sequence[str], flags: Mapping[str, bool]) -> Iterator[str]:
    """The words with a mark on those that only look like options; `flags` says which options take a value."""
    literal = value = False
    for word in words:
        name, equals, _ = word.partition("=")
        if word == "--" and not literal and not value:
            literal = True
        elif literal or (word.startswith("-") and not value and name not in flags):
            yield MARK + word
        else:
            value = not value and not equals and flags.get(name, False)
            yield word


def _bare(hint: Any) -> Any:
    return get_args(hint)[0] if get_origin(hint) is Annotated else hint


def add_field(parser: argparse.ArgumentParser, field: msgspec.structs.FieldInfo, hint: Any) -> None:
    """Adds the argument for one field."""
    kind, meta = (get_args(hint)[0], get_args(hint)[1]) if get_origin(hint) is Annotated else (hint, None)
    text = meta.description if meta else None
    positional = bool(meta and meta.extra and meta.extra.get("positional"))
    many, plain = _plain(kind)
    if positional:
        nargs = ("*" if field.default is not msgspec.NODEFAULT else "+") if many else None
        parser.add_argument(field.name, nargs=nargs, metavar=field.name.upper(), help=text, type=plain)
        return
    flag = "--" + field.name.replace("_", "-")
    if plain is bool:
        parser.add_argument(flag, action="store_true", help=text)
    elif many:
        parser.add_argument(flag, action="append", default=[], help=text, type=plain, metavar=_metavar(field.name))
    else:
        given = None if field.default is msgspec.NODEFAULT else field.default
        shown = f"{text} (default: {given})" if given not in {None, ""} else text
        parser.add_argument(flag, default=given, help=shown, type=plain, metavar=_metavar(field.name))


def request_of(request: type[Any], given: argparse.Namespace) -> Any:
    """The request record from parsed arguments."""
    values = {field.name: getattr(given, field.name) for field in msgspec.structs.fields(request)}
    return request(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})


def _plain(kind: Any) -> tuple[bool, type]:
    """Whether a field takes several values, and the type of one."""
    if get_origin(kind) in {Union, UnionType}:
        kind = next(option for option in get_args(kind) if option is not NoneType)
    if get_origin(kind) is tuple:
        return True, get_args(kind)[0]
    return False, kind


def _metavar(name: str) -> str:
    return name.rsplit("_", 1)[-1].upper()
