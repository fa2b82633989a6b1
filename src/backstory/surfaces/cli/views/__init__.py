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
    "vacuum": "reports:vacuumed",
    "context": "planning:said",
    "config show": "settings:shown",
    "config path": "settings:paths",
    "config check": "settings:checked",
    "artifact show": "artifacts:shown",
    "artifact search": "artifacts:matches",
    "artifact verify": "artifacts:checked",
    "eval retention": "retention:retention",
    "plan": "planning:planned",
    "plan diff": "planning:compared",
    "plan replay": "planning:planned",
    "manifest list": "planning:manifests",
    "manifest show": "planning:manifest",
    "manifest explain": "planning:explained",
    "manifest included": "planning:items",
    "manifest excluded": "planning:items",
    "pin": "memory:kept",
    "unpin": "memory:kept",
    "pins": "memory:kept_list",
    "memory list": "memory:kept_list",
    "memory search": "memory:found",
    "memory add": "memory:kept",
    "memory supersede": "memory:kept",
    "memory invalidate": "memory:kept",
    "memory expire": "memory:kept",
    "memory sources": "memory:sources",
    "memory exclude": "memory:decided",
    "memory include": "memory:decided",
    "query list-sessions": "querying:sessions",
    "query read-session": "querying:whole",
    "query list-events": "querying:events",
    "query read-event": "querying:window",
    "query read-surface": "querying:whole",
    "query read-titles": "querying:titles",
    "query trace-event": "querying:trace",
    "query trace-session": "querying:family",
    "query search-sessions": "querying:session_hits",
    "query search-events": "querying:event_hits",
    "storage": "reports:storage",
    "project search": "projects:found",
    "project index": "projects:indexed",
    "project status": "projects:status",
    "project trust": "projects:decided",
    "project untrust": "projects:decided",
    "project files": "projects:files",
    "project symbols": "projects:symbols",
    "project show": "projects:shown",
    "project eval": "projects:evaluated",
    "project watch": "projects:watched",
    "pi install": "hosts:installed",
    "pi uninstall": "hosts:installed",
    "pi status": "hosts:status",
    "pi doctor": "hosts:diagnosis",
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
