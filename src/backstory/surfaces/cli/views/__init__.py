"""How answers look to a person: one function per operation, loaded when used; JSON where there is none."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import msgspec

from backstory.surfaces.cli.terminal import Terminal

View = Callable[[Any, Terminal], str]

VIEWS = {
    "index": "reports:indexed",
    "rebuild": "reports:indexed",
    "search": "searching:found",
    "sessions": "browsing:sessions",
    "show": "browsing:shown",
    "sources": "reports:sources",
    "verify": "reports:verified",
    "forget": "reports:forgotten",
    "health": "reports:health",
    "storage": "reports:storage",
}


def view(name: str) -> View:
    """The function that turns an operation's answer into text."""
    if name not in VIEWS:
        return _json
    module, _, attribute = VIEWS[name].partition(":")
    loaded: View = getattr(import_module(f"{__name__}.{module}"), attribute)
    return loaded


def _json(answer: Any, _terminal: Terminal) -> str:
    return msgspec.json.format(msgspec.json.encode(answer), indent=2).decode() + "\n"
