"""Reads a usual command line without a parser, since building one takes longer than most commands do.

Whatever is not plainly right (help, an unknown option, a missing value) is left to `parser`, which reads the same
words again and says what is wrong with them. Both read a request's fields the same way (`fields`).
"""

from collections.abc import Iterator, Sequence
from typing import Any

from backstory.surfaces.cli.fields import FREE, Field, fields


def read(request: type[Any], words: Sequence[str]) -> tuple[Any, bool] | None:
    """The request and whether its answer is wanted as JSON; None when `parser` has to look."""
    known = fields(request)
    flags = {field.flag: field for field in known if not field.positional}
    values: dict[str, Any] = {}
    plain: list[str] = []
    as_json = False
    left = iter(words)
    for word in left:
        if not word.startswith("-"):
            plain.append(word)
        elif word == "--json":
            as_json = True
        elif not _option(values, flags, word, left):
            return None
    given = _positional([field for field in known if field.positional], plain)
    if given is None:
        return None
    values |= given
    if any(field.required and field.name not in values for field in known):
        return None
    return request(**{name: tuple(value) if type(value) is list else value for name, value in values.items()}), as_json


def _option(values: dict[str, Any], flags: dict[str, Field], word: str, left: Iterator[str]) -> bool:
    """Takes an option with its value; false when anything about it is unusual."""
    name, equals, text = word.partition("=")
    field = flags.get(name)
    if field is None or (field.plain is bool and equals):
        return False
    if field.plain is bool:
        values[field.name] = True
        return True
    text = text if equals else next(left, "-")
    if text.startswith("-"):
        return False
    try:
        value = field.plain(text)
    except (ValueError, TypeError):
        return False
    if field.many:
        values.setdefault(field.name, []).append(value)
    else:
        values[field.name] = value
    return True


def _positional(expected: Sequence[Field], words: Sequence[str]) -> dict[str, Any] | None:
    """The values of the arguments without a flag; None unless there is no doubt which is which."""
    if words and len(expected) == 1 and expected[0].name in FREE:
        return {expected[0].name: list(words)}
    if len(expected) != len(words) or any(field.many or field.plain is not str for field in expected):
        return None
    return {field.name: word for field, word in zip(expected, words, strict=True)}
