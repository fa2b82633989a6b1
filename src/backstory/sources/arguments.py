"""Turns the arguments of a tool call into searchable lines and the file paths it names.

Arguments are whatever JSON a model wrote. Only strings are searchable: numbers and flags say nothing, and data URLs are
images. Used by the adapters; which record is a call is theirs to say.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

PATH_KEYS = frozenset(
    {"file_path", "path", "notebook_path", "filePath", "absolute_path", "file", "filename", "dir_path"}
)
_PATCH = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+)$", re.MULTILINE)
_DATA_URL = "data:"
_DEEPEST = 12
_LONGEST_PATH = 1024


def lines(arguments: Any) -> list[str]:
    """The non-empty strings in the arguments, in their order, keys of nested objects left out."""
    if type(arguments) is dict:
        found: list[str] = []
        for value in arguments.values():
            if type(value) is str:
                if value and value[:5] != _DATA_URL:
                    found.append(value)
            elif value.__class__ is dict or value.__class__ is list:
                found.extend(_strings(value, _DEEPEST))
        return found
    return list(_strings(arguments, _DEEPEST))


def paths(arguments: Any) -> list[str]:
    """File paths named by the arguments: values of path-like keys and the headers of a patch."""
    if type(arguments) is str:
        return patched(arguments)
    if type(arguments) is not dict:
        return []
    found = [
        value
        for key, value in arguments.items()
        if key in PATH_KEYS and type(value) is str and 0 < len(value) <= _LONGEST_PATH and "\n" not in value
    ]
    for key in ("input", "patch"):
        if type(text := arguments.get(key)) is str:
            found += patched(text)
    return found


def patched(text: str) -> list[str]:
    """File names in the headers of an `apply_patch` text."""
    return [name.strip()[:_LONGEST_PATH] for name in _PATCH.findall(text)] if "*** " in text else []


def size(arguments: Any) -> int:
    """Characters of the arguments as JSON."""
    if type(arguments) is str:
        return len(arguments)
    try:
        return len(msgspec.json.encode(arguments).decode())
    except RecursionError:
        return 0


def _strings(value: Any, depth: int) -> Iterator[str]:
    if type(value) is str:
        if value and value[:5] != _DATA_URL:
            yield value
    elif depth and type(value) is dict:
        for inner in value.values():
            yield from _strings(inner, depth - 1)
    elif depth and type(value) is list:
        for inner in value:
            yield from _strings(inner, depth - 1)
