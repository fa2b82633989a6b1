"""Reads settings files: TOML of ours and the JSON of another engine, as nested tables, and finds the line of a key.

A file is parsed again only when its size or time changed. What the keys mean is for `config.keys` and `config.ds4`.
"""

import os
import re
import stat
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from backstory.errors import InvalidConfigError

MOST_BYTES = 1024 * 1024
_NAME = r"(?:\"[^\"]*\"|'[^']*'|[\w-]+)"
_HEADER = rf"\s*\[\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*\]"
_KEY = rf"\s*({_NAME}(?:\s*\.\s*{_NAME})*)\s*="


class Document(msgspec.Struct, frozen=True):
    """A parsed file and its text."""

    text: str
    tables: Mapping[str, Any]


def read(path: str) -> Document | None:
    """The document of a file, None when there is none.

    Raises:
        InvalidConfigError: it cannot be read or parsed; names the line where the parser does.
    """
    try:
        state = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise InvalidConfigError(f"cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(state.st_mode):
        raise InvalidConfigError("cannot be read: not a regular file")
    return _parsed(path, state.st_mtime_ns, state.st_size, state.st_ino)


def text_of(path: str) -> str | None:
    """The text of a file that cannot be parsed, whatever its encoding; None when it cannot be read as a whole."""
    try:
        if not os.path.isfile(path) or os.path.getsize(path) > MOST_BYTES:
            return None
        with open(path, "rb") as stream:
            return stream.read().replace(b"\0", b"").decode("utf-8", "replace")
    except OSError:
        return None


def line_of(document: Document, path: tuple[str, ...], *, toml: bool) -> int | None:
    """The line, from 1, that a value stands in, None when it is not found."""
    return _toml_line(document.text, path) if toml else _json_line(document.text, path)


@lru_cache(maxsize=16)
def _parsed(path: str, _time: int, size: int, _inode: int) -> Document:
    if size > MOST_BYTES:
        raise InvalidConfigError(f"is larger than {MOST_BYTES} bytes")
    try:
        with open(path, encoding="utf-8-sig") as stream:
            text = stream.read()
        tables = msgspec.json.decode(text) if path.endswith(".json") else _toml(text)
    except OSError as error:
        raise InvalidConfigError(f"cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError, msgspec.DecodeError) as error:
        raise InvalidConfigError(f"cannot be parsed: {error}") from error
    if not isinstance(tables, dict):
        raise InvalidConfigError("holds no table of settings")
    return Document(text, tables)


def _toml(text: str) -> Any:
    import tomllib  # noqa: PLC0415 - most people have no settings file, and then nobody pays for the parser

    return tomllib.loads(text)


def _toml_line(text: str, path: tuple[str, ...]) -> int | None:
    table: tuple[str, ...] = ()
    best, depth = None, 0
    for number, line in enumerate(text.splitlines(), 1):
        if found := re.match(_HEADER, line):
            table = here = _names(found[1])
        elif found := re.match(_KEY, line):
            here = (*table, *_names(found[1]))
        else:
            continue
        if len(here) > depth and path[: len(here)] == here:
            best, depth = number, len(here)
    return best


def _json_line(text: str, path: tuple[str, ...]) -> int | None:
    at = 0
    for name in path:
        found = re.compile(rf'"{re.escape(name)}"\s*:').search(text, at)
        if found is None:
            return None
        at = found.end()
    return text.count("\n", 0, at) + 1


def _names(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip().strip("\"'") for part in re.findall(_NAME, dotted))
