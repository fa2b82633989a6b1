"""What the server asks of a host beside the methods that its callers name; `engine.host.host.Host` is the real one."""

from collections.abc import Callable
from typing import Any, Protocol


class Served(Protocol):
    """A host as the server sees it. One thread calls it; `cancel` alone comes from another."""

    engine: Any

    @property
    def holds(self) -> bool:
        """Whether something waits to be kept until the host goes on, or has been quiet."""

    def begin(self, deadline_ms: int | None, /) -> None:
        """A call starts; it may take so many milliseconds, None for any time."""

    def end(self) -> None:
        """The call is over."""

    def cancel(self) -> None:
        """Stops the running call."""

    def idle(self, busy: Callable[[], bool], /) -> bool:
        """Does a piece of waiting work until `busy`; False when there is none."""

    def release(self) -> None:
        """It has been quiet: what waits to be kept may be kept."""

    def finish(self) -> None:
        """No more calls come; what is left to be kept is kept."""
