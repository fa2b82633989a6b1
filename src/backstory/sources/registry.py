"""Names every source and loads it when it is asked for.

A source of our own is one row here; a third party's is an entry point in the group `backstory.sources`. Nothing is
imported before it is needed: a search that touches one agent pays for one adapter.
"""

from functools import cache
from importlib import import_module
from typing import Any, cast

from backstory.errors import UnknownSourceError
from backstory.sources.base import Source

GROUP = "backstory.sources"

ROWS: dict[str, str] = {
    "claude-code": "backstory.sources.adapters.claude_code.source:ClaudeCode",
    "codex": "backstory.sources.adapters.codex.source:Codex",
    "dsh": "backstory.sources.adapters.dsh:Dsh",
    "gemini": "backstory.sources.adapters.gemini.source:Gemini",
    "pi": "backstory.sources.adapters.pi:Pi",
    "runtime": "backstory.sources.adapters.runtime:Runtime",
}


def names() -> list[str]:
    """All source names, our own first, then third parties' in alphabetical order; ours win over the same name."""
    return [*ROWS, *sorted(_foreign().keys() - ROWS.keys())]


@cache
def load(name: str) -> Source:
    """The source of this name, the same object each time; raises UnknownSourceError."""
    if row := ROWS.get(name):
        module, _, attribute = row.partition(":")
        return cast("Source", getattr(import_module(module), attribute)())
    if point := _foreign().get(name):
        return cast("Source", point.load()())
    raise UnknownSourceError(name, names())


@cache
def _foreign() -> dict[str, Any]:
    # Loaded by name because it costs more start-up time than all the rest of a search.
    metadata = import_module("importlib.metadata")
    return {point.name: point for point in metadata.entry_points(group=GROUP)}
