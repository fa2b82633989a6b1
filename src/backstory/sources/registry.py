"""Names every source, says where it lies, and loads it when one of its files is to be read.

A source of our own is one row here and one in `sources.locations`; a third party's is an entry point in the group
`backstory.sources`. Nothing is imported before it is needed: a search that finds nothing new on disk loads no adapter
of ours.
"""

import os
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from backstory.errors import UnknownSourceError
from backstory.sources.locations import LOCATIONS, Location
from backstory.sources.locations import resume as resume_command

if TYPE_CHECKING:
    from backstory.sources.base import Source

GROUP = "backstory.sources"

ROWS: dict[str, str] = {
    "claude-code": "backstory.sources.adapters.claude_code.source:ClaudeCode",
    "codex": "backstory.sources.adapters.codex.source:Codex",
    "dsh": "backstory.sources.adapters.dsh.source:Dsh",
    "gemini": "backstory.sources.adapters.gemini.source:Gemini",
    "pi": "backstory.sources.adapters.pi.source:Pi",
    "runtime": "backstory.sources.adapters.runtime:Runtime",
}


def names() -> list[str]:
    """All source names, our own first, then third parties' in alphabetical order; ours win over the same name."""
    return [*ROWS, *sorted(foreign()[0])]


def broken() -> dict[str, str]:
    """Third parties' sources that cannot be used, with the reason."""
    return foreign()[1]


@cache
def locations() -> tuple[Location, ...]:
    """The location of every source in the order of `names`; only third parties' sources are loaded for it."""
    return tuple(LOCATIONS.get(name) or load(name).location for name in names())


def split(name: str) -> tuple[str | None, str]:
    """What a person's name for a session says of its source, None for nothing, and the rest, its id or a part of it."""
    source, colon, rest = name.partition(":")
    return (source, rest) if colon and source in names() else (None, name)


def without_subagents(names: Collection[str]) -> list[str]:
    """Sessions without the subagents of another among them, in order: `session/agent-…` goes with its session."""
    return sorted(name for name in names if name.rpartition("/")[0] not in names)


def resume(source: str, session_id: str, cwd: str | None, path: str) -> str | None:
    """The command that takes a session up again; None when its agent has none, or no such source is known any more."""
    location = LOCATIONS.get(source) or next((one for one in locations() if one.name == source), None)
    return resume_command(location, session_id, cwd, path) if location else None


@cache
def load(name: str) -> "Source":
    """The source of this name, the same object each time; raises UnknownSourceError."""
    if row := ROWS.get(name):
        module, _, attribute = row.partition(":")
        return cast("Source", getattr(import_module(module), attribute)())
    if source := foreign()[0].get(name):
        return source
    raise UnknownSourceError(name, names())


@cache
def foreign() -> "tuple[dict[str, Source], dict[str, str]]":
    """Third parties' sources, and why others are none; one that cannot be loaded costs nobody else anything."""
    found: dict[str, Source] = {}
    failed: dict[str, str] = {}
    for name, point in _points().items():
        try:
            source = cast("Source", point.load()())
            if source.location.name == name:
                found[name] = source
            else:
                failed[name] = f"its location is called {source.location.name!r}"
        except Exception as error:  # noqa: BLE001  (whatever the code of others may raise)
            failed[name] = f"{type(error).__name__}: {error}"
    return found, failed


def _points() -> dict[str, Any]:
    if not _announced():
        return {}
    # Loaded by name because it costs more start-up time than all the rest of a search.
    metadata = import_module("importlib.metadata")
    return {point.name: point for point in metadata.entry_points(group=GROUP) if point.name not in ROWS}


def _announced() -> bool:
    """Whether any package in a folder of `sys.path` names our group: a glance that mostly spares the real search."""
    return any(GROUP.encode() in text for folder in sys.path for text in _entry_points(folder))


def _entry_points(folder: str) -> Iterator[bytes]:
    try:
        with os.scandir(folder or ".") as found:
            packages = [one.path for one in found if one.name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return
    for package in packages:
        with suppress(OSError), open(os.path.join(package, "entry_points.txt"), "rb") as listed:
            yield listed.read()
