"""Reads what a person typed behind `/context`: words, quoted words, and options that look like `--name value`.

Nothing typed is ever an error of reading: a quote that is not closed reaches to the end, a lone backslash stands for
itself. Text that is to be kept is taken as it was typed, so that quotes and apostrophes inside it stay.
"""

import re
from collections.abc import Collection, Sequence

from backstory.errors import UsageError
from backstory.records.base import Record

LONGEST = 40_000
_WORD = re.compile(
    r"""(?P<flag>--[\w-]+=)?(?:"(?P<double>(?:\\.|[^"\\])*)(?:"|\\?$)|'(?P<single>[^']*)'?)"""
    r"""|(?P<bare>(?:\\.|\\$|[^\s\\])+)""",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class TypedWord(Record, frozen=True):
    """One word: what it means, and the signs it was typed with."""

    value: str
    typed: str


class Typed(Record, frozen=True):
    """Words in order without the options, and the last value of each option that was given."""

    words: tuple[TypedWord, ...]
    options: dict[str, str]

    def values(self) -> list[str]:
        """What the words mean."""
        return [word.value for word in self.words]

    def first(self, noun: str) -> str:
        """What the first word means, which names a `noun`.

        Raises:
            UsageError: there is no word.
        """
        if not self.words:
            raise UsageError(f"name the {noun}")
        return self.words[0].value

    def text(self, start: int = 0) -> str:
        """Everything from a word on: one quoted text without its quotes, several words as they were typed."""
        rest = self.words[start:]
        return rest[0].value if len(rest) == 1 else " ".join(word.typed for word in rest)


def words(line: str) -> list[TypedWord]:
    """The words of a line; quotes group where a word begins, a backslash takes the next sign as it is."""
    return [TypedWord(_value(found), found[0]) for found in _WORD.finditer(line[:LONGEST])]


def _value(found: re.Match[str]) -> str:
    if found["single"] is not None:
        return (found["flag"] or "") + str(found["single"])
    if found["double"] is not None:
        return (found["flag"] or "") + _ESCAPED.sub(r"\1", found["double"])
    return _ESCAPED.sub(r"\1", found["bare"])


def given(typed: Sequence[TypedWord], options: Collection[str]) -> Typed:
    """Words and options apart; `--` ends the options.

    Raises:
        UsageError: an option is unknown, or has no value.
    """
    kept: list[TypedWord] = []
    found: dict[str, str] = {}
    waiting = list(typed)
    while waiting:
        word = waiting.pop(0)
        if word.typed == "--":
            kept += waiting
            break
        if not word.typed.startswith("--"):
            kept.append(word)
            continue
        name, equals, value = word.value.removeprefix("--").partition("=")
        if name not in options:
            known = ", ".join(f"--{one}" for one in sorted(options)) or "none"
            raise UsageError(f"no option is called --{name} here; known: {known}")
        if not equals:
            if not waiting:
                raise UsageError(f"--{name} wants a value")
            value = waiting.pop(0).value
        found[name] = value
    return Typed(tuple(kept), found)
