"""Messages of JSON-RPC 2.0, one a line, and the codes of its errors.

Beyond the standard a request may carry `deadline`, the milliseconds that its sender is going to wait. Batches are
refused: a sender may write several lines at once instead.
"""

from typing import Any, Literal

import msgspec

from backstory.errors import BackstoryError, CancelledError, UsageError

PARSE, INVALID, UNKNOWN, PARAMS, INTERNAL = -32700, -32600, -32601, -32602, -32603
FAILED, CANCELLED = -32000, -32800

Id = int | str | None


class Request(msgspec.Struct, gc=False):
    """One line from the other side; a notification has no `id`."""

    method: str
    id: Id | msgspec.UnsetType = msgspec.UNSET
    params: msgspec.Raw = msgspec.Raw(b"{}")
    deadline: int | None = None
    jsonrpc: Literal["2.0"] = "2.0"


class Failure(msgspec.Struct, omit_defaults=True):
    """The error of a response; `data` holds the stable code of an error of ours."""

    code: int
    message: str
    data: dict[str, str] | None = None


class _Result(msgspec.Struct):
    id: Id
    result: Any
    jsonrpc: str = "2.0"


class _Error(msgspec.Struct):
    id: Id
    error: Failure
    jsonrpc: str = "2.0"


decoder = msgspec.json.Decoder(Request)
_encoder = msgspec.json.Encoder()


def result(id_: Id, value: Any) -> bytes:
    """The line of an answer."""
    return _encoder.encode(_Result(id_, value)) + b"\n"


def error(id_: Id, failure: Failure) -> bytes:
    """The line of an error."""
    return _encoder.encode(_Error(id_, failure)) + b"\n"


def refused(line: bytes) -> tuple[Id, Failure]:
    """Why a line is no request, and the id it has if any."""
    try:
        value = msgspec.json.decode(line)
    except (msgspec.DecodeError, RecursionError) as problem:
        return None, Failure(PARSE, f"not JSON: {problem}")
    id_ = value.get("id") if isinstance(value, dict) else None
    return id_ if isinstance(id_, int | str) else None, Failure(INVALID, "not a request of JSON-RPC 2.0")


def failure(problem: BaseException) -> Failure:
    """The error that tells of an exception; of an unexpected one no more than its class, as it may quote anything."""
    if isinstance(problem, CancelledError):
        return Failure(CANCELLED, str(problem), {"code": problem.code})
    if isinstance(problem, BackstoryError):
        return Failure(PARAMS if isinstance(problem, UsageError) else FAILED, str(problem), {"code": problem.code})
    if isinstance(problem, msgspec.ValidationError):
        return Failure(PARAMS, str(problem))
    return Failure(INTERNAL, f"internal error: {type(problem).__name__}")
