"""Stops work from outside: a token that a caller, a deadline or a signal trips, and that waiting and SQL both heed."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

from backstory.errors import CancelledError


class Token:
    """Can be cancelled once, from any thread, and cancels itself when its deadline passes.

    `deadline_ms` is counted from now; None means no deadline.
    """

    def __init__(self, deadline_ms: int | None = None) -> None:
        self._end = None if deadline_ms is None else monotonic() + deadline_ms / 1000
        self._lock = threading.Lock()
        self._cancelled = False
        self._watchers: list[Callable[[], None]] = []

    def cancel(self) -> None:
        """Stops everything that runs under this token, as soon as it can be stopped."""
        # Watchers are called under the lock: none is called any more once its `watch` has ended.
        with self._lock:
            self._cancelled = True
            for watcher in self._watchers:
                watcher()

    def stopped(self) -> bool:
        """Whether the work is to stop."""
        return self._cancelled or (self._end is not None and monotonic() >= self._end)

    def remaining(self) -> float | None:
        """Seconds until the deadline, None without one."""
        return None if self._end is None else max(self._end - monotonic(), 0.0)

    def check(self) -> None:
        """Returns while the work may go on.

        Raises:
            CancelledError: it may not.
        """
        if self.stopped():
            raise CancelledError("stopped by the caller or its deadline")

    @contextmanager
    def watch(self, watcher: Callable[[], None]) -> Iterator[None]:
        """Calls `watcher` if the token is cancelled while the body runs."""
        with self._lock:
            self._watchers.append(watcher)
        try:
            yield
        finally:
            with self._lock:
                self._watchers.remove(watcher)


NEVER = Token()
"""For work that nobody means to stop."""
