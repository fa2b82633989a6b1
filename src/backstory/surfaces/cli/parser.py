"""Derives one argument parser from one request record: fields become flags, their descriptions become help.

Only the parser of the command that was typed is ever built, and only where `quick` did not understand the words.
"""

import argparse
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

import msgspec

from backstory.engine import operations
from backstory.errors import UsageError
from backstory.surfaces.cli.fields import FREE, LINE, Field, fields
from backstory.surfaces.cli.near import meant

# No argument can hold this character, so it hides a word from the option parser and is taken off again.
MARK = "\0"


# What argparse says in words of its own, and how a person is told.
_WORDED = (
    (re.compile(r"argument (\S+): expected one argument"), r"\1 wants a value"),
    (re.compile(r"argument (\S+): ignored explicit argument .*"), r"\1 takes no value"),
    (re.compile(r"argument (\S+): invalid int value: (.*)"), r"\1 wants a whole number, not \2"),
    (re.compile(r"argument (\S+): invalid float value: (.*)"), r"\1 wants a number, not \2"),
    (re.compile(r"the following arguments are required: (.*)"), r"what is missing: \1"),
    (re.compile(r"unrecognized arguments: (.*)"), r"there is no place for: \1"),
)


class CommandParser(argparse.ArgumentParser):
    """A parser whose complaints are errors of ours; `text` says that the command takes a text of several words."""

    text = False

    def error(self, message: str) -> NoReturn:
        """Raises UsageError with what is wrong and where help is."""
        for pattern, words in _WORDED:
            message = pattern.sub(words, message)
        if self.text and "no place for: -" in message:
            message += "; text with dashes stands behind two more: -- TEXT"
        raise UsageError(f"{message}; {self.prog} --help tells more")


def build(command: str, summary: str, request: type[Any]) -> CommandParser:
    """The parser of one command; its help names the commands that begin with the same word."""
    also = [one.name for one in operations.OPERATIONS if one.name.startswith(f"{command} ")]
    epilog = f"See also: {', '.join(f'backstory {name}' for name in also)}" if also else None
    parser = CommandParser(prog=f"backstory {command}", description=summary, epilog=epilog, allow_abbrev=False)
    for field in fields(request):
        parser.text |= field.positional and field.name == "text"
        _add(parser, field)
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    return parser


def parse(parser: argparse.ArgumentParser, request: type[Any], words: Sequence[str]) -> argparse.Namespace:
    """What was typed. In a command that takes a query or a line, whatever is no option of it is a word of that.

    Raises:
        UsageError: a word is an option but for one slip, and does not stand behind `--`.
    """
    known = fields(request)
    free = next((field.name for field in known if field.name in FREE), None)
    flags = {field.flag: field.plain is not bool for field in known if not field.positional}
    flags |= {"--json": False, "--help": False, "-h": False}
    if free is None:
        for word in words[: words.index("--") if "--" in words else None]:
            _refuse_slip(word, flags)
        return parser.parse_args(words)
    given = parser.parse_intermixed_args(list(_marked(words, flags, within=free == LINE)))
    setattr(given, free, [word.removeprefix(MARK) for word in getattr(given, free)])
    return given


def _refuse_slip(word: str, flags: Mapping[str, bool], hint: str = "") -> None:
    """Nobody who writes `--lmit 5` looks for that; who does can say so."""
    name = word.partition("=")[0]
    flag = meant(name, flags) if name.startswith("--") and name not in flags else None
    if flag is not None:
        raise UsageError(f"there is no option {name}; did you mean {flag}?{hint.format(name)}")


def _marked(words: Sequence[str], flags: Mapping[str, bool], *, within: bool) -> Iterator[str]:
    """The words with a mark on those that only look like options; `flags` says which options take a value.

    `within` says that the free words are a command, with options of its own.
    """
    literal = value = False
    for word in words:
        name, equals, _ = word.partition("=")
        if word == "--" and not literal and not value:
            literal = True
        elif literal or (word.startswith("-") and not value and name not in flags):
            if not (literal or within):
                _refuse_slip(word, flags, " To look for it, write it behind two dashes: -- {}")
            yield MARK + word
        else:
            value = not value and not equals and flags.get(name, False)
            yield word


def _add(parser: argparse.ArgumentParser, field: Field) -> None:
    """Adds the argument for one field."""
    if field.positional:
        nargs = ("+" if field.required else "*") if field.many else None
        parser.add_argument(field.name, nargs=nargs, metavar=field.name.upper(), help=field.help, type=field.plain)
    elif field.plain is bool:
        parser.add_argument(field.flag, action="store_true", help=field.help)
    elif field.many:
        parser.add_argument(
            field.flag,
            action="append",
            default=[],
            help=f"{field.help} (may be repeated)",
            type=field.plain,
            metavar=_metavar(field.name),
        )
    else:
        given = None if field.required else field.default
        shown = f"{field.help} (default: {given})" if given not in {None, ""} else field.help
        parser.add_argument(field.flag, default=given, help=shown, type=field.plain, metavar=_metavar(field.name))


def request_of(request: type[Any], given: argparse.Namespace) -> Any:
    """The request record from parsed arguments."""
    values = {field.name: getattr(given, field.name) for field in msgspec.structs.fields(request)}
    return request(**{name: tuple(value) if isinstance(value, list) else value for name, value in values.items()})


def _metavar(name: str) -> str:
    return name.rsplit("_", 1)[-1].upper()
