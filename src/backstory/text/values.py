"""Exact values in text: paths, identifiers and numbers that an agent must write letter by letter or not at all.

Only the shape of a token decides. What a value is worth to a request is for `plan.evidence.worth` to say. Shell
commands are found in the calls that ran them (`command`), not in prose.
"""

import re
from collections.abc import Iterator
from itertools import pairwise

PATH, NAME, NUMBER, COMMAND = "path", "name", "number", "command"

Value = tuple[str, str]
"""A kind, and what stands in the text."""

_UNITS = "ms|us|ns|s|m|h|kb|mb|gb|kib|mib|gib|k|px|%|rem|em|fps|hz"
_TOKEN = re.compile(
    rf"""
    (?<![\w/.$-])
    (?: (?P<path> (?:~|\.{{1,2}})?/?(?:[\w@+-][\w.@+-]*/)+[\w.@+-]*[\w@+-] | /[\w.@+-]+(?:/[\w.@+-]+)* )
      | (?P<number> \#\d{{1,7}}\b | [A-Z]{{2,10}}-\d{{1,6}}\b
          | [0-9a-f]{{8}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{4}}-[0-9a-f]{{12}}
          | v?\d+(?:\.\d+)+(?:-[\w.]+)?\b | \d+(?:[.,]\d+)?(?:{_UNITS})(?!\w)
          | \b(?=[0-9a-f]*\d)(?=[0-9]*[a-f])[0-9a-f]{{7,40}}\b )
      | (?P<name> [A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$][\w$]*)* )
    )
    """,
    re.VERBOSE | re.ASCII,
)
_EXTENSION = re.compile(
    r"\.(?:py|pyi|go|rs|ts|tsx|js|jsx|mjs|cjs|json|jsonl|ya?ml|toml|md|txt|sql|sh|bash|zsh|html?|s?css|java|kt|swift|c|h|"
    r"cc|cpp|hpp|rb|php|lua|ex|exs|cs|vue|svelte|proto|lock|cfg|ini|env|xml|csv|log|mod|sum|tf|gradle|ipynb|zig|nix)$"
)
_HUMP = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_STANDARD = frozenset(
    (
        *("fmt", "os", "strings", "strconv", "time", "errors", "io", "json", "math", "sync", "context", "http", "log"),
        *("path", "filepath", "bytes", "sort", "regexp", "self", "this", "console", "Math", "Object", "Array", "JSON"),
        *("process", "Promise", "std", "np", "pd", "re", "sys"),
    )
)
_CD = re.compile(r"^(?:cd\s+\S+\s*(?:&&|;)\s*)+")
_BLANKS = re.compile(r"\s+")
_LONGEST = 200
_MEMO_SIZE = 200_000
# No value is without one of these: a slash, a digit, an underscore, a joint or a change of case, or dashes of a UUID.
_TELLING = re.compile(r"[/\d_]|\.[\w$]|::|[a-z][A-Z]|[A-Z]{2}[a-z]|-[0-9a-f]{4}-", re.ASCII)
_PART = re.compile(r"[\w$]+")


class Memo(dict[str, tuple[Value, ...]]):
    """The values inside each token between blanks, worked out once. Starts anew when it has grown too large."""

    def __missing__(self, token: str) -> tuple[Value, ...]:
        if len(self) >= _MEMO_SIZE:
            self.clear()
        found = self[token] = inside(token)
        return found


def values(text: str, memo: Memo) -> dict[Value, int]:
    """How often each (kind, value) stands in a text; the parts of a dotted name stand alone too."""
    found: dict[Value, int] = {}
    for token in text.split():
        for value in memo[token]:
            found[value] = found.get(value, 0) + 1
    return found


def inside(token: str) -> tuple[Value, ...]:
    """The values in one token between blanks, each once."""
    return tuple(dict.fromkeys(_within(token))) if _TELLING.search(token) else ()


def pieces(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Cut a text into stretches of at most `size` characters, at line ends or blanks where there are any."""
    start, end = 0, len(text)
    while start < end:
        stop = start + size
        if stop >= end:
            yield start, end
            return
        cut = text.rfind("\n", start + size // 2, stop)
        if cut < 0:
            cut = text.rfind(" ", start + 1, stop)
        stop = cut + 1 if cut >= 0 else stop
        yield start, stop
        start = stop


def command(text: str) -> str:
    """A shell call as it is compared: its first line without leading `cd`, blanks collapsed, cut at 200 characters."""
    first = text.strip().partition("\n")[0]
    return _BLANKS.sub(" ", _CD.sub("", first)).strip()[:_LONGEST]


def _within(token: str) -> Iterator[Value]:
    for match in _TOKEN.finditer(token):
        kind, value = match.lastgroup, match[0]
        if kind == NAME:
            yield from _names(value)
        elif kind == NUMBER:
            yield NUMBER, value
        elif len(value) <= _LONGEST and _like_path(value):
            yield PATH, value


def _names(token: str) -> Iterator[Value]:
    """The values inside one dotted name: a file name, or the simple names and pairs of neighbours."""
    if "." not in token and ":" not in token:
        if identifier(token):
            yield NAME, token
        return
    if _EXTENSION.search(token):
        yield PATH, token
        return
    parts = _PART.findall(token)
    for name in parts:
        if identifier(name):
            yield NAME, name
    for left, right in pairwise(parts):
        telling = identifier(left) or identifier(right) or left[:1].isupper() or right[:1].isupper()
        if telling and left not in _STANDARD:
            joint = "::" if f"{left}::{right}" in token else "."
            yield NAME, f"{left}{joint}{right}"


def identifier(name: str) -> bool:
    """Whether a simple name looks made up for a program: an inner underscore or a change of case, five characters."""
    return len(name) >= 5 and ("_" in name.strip("_") or _HUMP.search(name) is not None)


def _like_path(token: str) -> bool:
    """A slash alone is not enough: prose has "and/or" and fractions."""
    if _EXTENSION.search(token) is not None:
        return True
    return token.count("/") > 1 or (token[0] in "/~." and len(token) > 2)
