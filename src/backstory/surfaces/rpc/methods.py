"""What can be asked: the host's methods, and every operation under its name with a dot for the space.

Requests and functions are named by text and loaded when used.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from backstory.engine.loading import load
from backstory.engine.operations import OPERATIONS, handler, request_type
from backstory.errors import UsageError
from backstory.surfaces.rpc.served import Served

# The request of each method, and the method of `engine.host.host.Host` that carries it out.
HOST = {
    "initialize": ("records.protocol:Initialize", "initialize"),
    "context": ("records.protocol:ContextRequest", "context"),
    "command": ("records.protocol:CommandRequest", "command"),
    "tool": ("records.protocol:ToolRequest", "tool"),
    "resume": ("records.protocol:Resume", "resume"),
    "payload": ("records.protocol:PayloadRequest", "payload"),
    "answered": ("records.protocol:Answered", "answered"),
    "changed": ("records.protocol:Changed", "changed"),
    "session": ("records.protocol:SessionNews", "session"),
}

_OPERATIONS = {operation.name.replace(" ", "."): operation for operation in OPERATIONS}


def find(name: str, host: Served) -> tuple[type[Any], Callable[[Any], Any]] | None:
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
