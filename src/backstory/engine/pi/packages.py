"""Finds the extension where Pi loads it from besides its own folders: packages and paths that its settings name.

The settings are Pi's; they are only read, and what is no JSON or of another shape names nothing.
"""

from collections.abc import Iterator
from os.path import expanduser
from pathlib import Path
from typing import Any

import msgspec

SETTINGS = "settings.json"
PACKAGE = "backstory-pi"
_LARGEST = 1 << 20
# How Pi marks entries that are patterns or its own parts, not paths.
_MARKS = ("!", "+", "-", "builtin:")


class NamedFolder(msgspec.Struct, frozen=True):
    """A folder with our extension that settings name; `off` when they load no extension of it."""

    folder: Path
    off: bool = False


def named(above: Path) -> Iterator[NamedFolder]:
    """Every folder with our extension that the settings in a folder of Pi's name, each once."""
    seen: set[Path] = set()
    for one in _entries(above):
        if one.folder not in seen and _ours(one.folder):
            seen.add(one.folder)
            yield one


def _entries(above: Path) -> Iterator[NamedFolder]:
    settings = _read(above / SETTINGS)
    for source, off in map(_source, _list(settings, "packages")):
        if source.startswith("npm:"):
            yield NamedFolder(above / "npm" / "node_modules" / _package(source), off)
        elif source and "://" not in source and not source.startswith("git:"):
            yield NamedFolder(_path(above, source), off)
    for path in _list(settings, "extensions"):
        if isinstance(path, str) and path and not path.startswith(_MARKS):
            found = _path(above, path)
            yield NamedFolder(found.parent if found.suffix in {".ts", ".js"} else found)


def _source(entry: Any) -> tuple[str, bool]:
    """Where a package comes from, and whether its extensions are left out."""
    given = entry.get("source") if isinstance(entry, dict) else entry
    off = isinstance(entry, dict) and entry.get("extensions") == []
    return given if isinstance(given, str) else "", off


def _package(source: str) -> str:
    """The name in "npm:@scope/name@1.2.3"."""
    name = source.removeprefix("npm:")
    at = name.find("@", 1)
    return name if at < 0 else name[:at]


def _path(above: Path, given: str) -> Path:
    try:
        return (above / Path(expanduser(given))).resolve()
    except (OSError, RuntimeError, ValueError):
        return above / "nowhere"


def _ours(folder: Path) -> bool:
    return _read(folder / "package.json").get("name") == PACKAGE


def _list(settings: dict[str, Any], name: str) -> list[Any]:
    found = settings.get(name)
    return found if isinstance(found, list) else []


def _read(path: Path) -> dict[str, Any]:
    """A JSON object, an empty one for whatever is none."""
    try:
        with path.open("rb") as file:
            found = msgspec.json.decode(file.read(_LARGEST))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
