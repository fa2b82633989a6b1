"""What can be asked: the host's methods, and every operation under its name with a dot for the space.

Requests and functions are named by text and loaded when used.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from backstory.engine.loading import load
from backstory.engine.operations import OPERATIONS, handler, request_type
from backstory.errors import UsageError

# The request of each method, and the method of `engine.host.host.Host` that carries it out.
HOST = {
    "initialize": ("records.hosting:Initialize", "initialize"),
    "context": ("records.hosting:ContextRequest", "context"),
    "command": ("records.hosting:CommandRequest", "command"),
    "tool": ("records.hosting:ToolRequest", "tool"),
    "resume": ("records.hosting:Resume", "resume"),
    "payload": ("records.hosting:PayloadRequest", "payload"),
    "answered": ("records.hosting:Answered", "answered"),
    "changed": ("records.hosting:Changed", "changed"),
    "session": ("records.hosting:SessionNews", "session"),
}

_OPERATIONS = {operation.name.replace(" ", "."): operation for operation in OPERATIONS}


def find(name: str, host: Any) -> tuple[type[Any], Callable[[Any], Any]] | None:
    """The request type of a method and the function that answers it; None when there is no such method."""
    if name in HOST:
        request, method = HOST[name]
        return load(request), getattr(host, method)
    if operation := _OPERATIONS.get(name):
        run = handler(operation)
        return request_type(operation), lambda request: run(host.engine, _allowed(request))
    return None


def _allowed(request: Any) -> Any:
    if getattr(request, "reveal", False):
        raise UsageError("secrets are shown on a terminal only")
    return request


def convert(params: msgspec.Raw, kind: type[Any]) -> Any:
    """The request from its parameters.

    Raises:
        msgspec.ValidationError: they are not what the method takes.
    """
    return msgspec.json.decode(params, type=kind)
