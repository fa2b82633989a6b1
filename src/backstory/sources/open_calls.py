"""Remembers the names of tool calls until they are answered, as results carry only the call's id.

The map lives in a parser's state, so it is bounded and survives a checkpoint. Used by the adapters.
"""

from collections.abc import Iterable
from typing import cast

from backstory.records.session import Facts

_MOST = 256


class OpenCalls:
    """Open tool calls of one session, oldest forgotten first."""

    def __init__(self, facts: Facts) -> None:
        self._names = cast("dict[str, str]", facts.state.setdefault("calls", {}))

    def called(self, calls: Iterable[tuple[str, str]]) -> None:
        """Notes calls as pairs of id and tool name."""
        names = self._names
        names.update(calls)
        while len(names) > _MOST:
            del names[next(iter(names))]

    def answered(self, call: str) -> str | None:
        """The tool that this call used, None when the call is unknown or was answered before."""
        return self._names.pop(call, None)
