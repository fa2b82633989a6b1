"""Takes jobs out of a queue and runs them, one at a time."""

import time
from collections.abc import Callable
from typing import Any

from harbour.queue import Queue

Handler = Callable[[dict[str, Any], str], None]
IDLE_SECONDS = 0.5


class Worker:
    """Runs jobs with the handler of their kind. A job that raises is buried, never retried: see docs/retries.md."""

    def __init__(self, queue: Queue, handlers: dict[str, Handler]) -> None:
        self._queue = queue
        self._handlers = handlers

    def step(self) -> bool:
        """Runs one job; false when none was due."""
        job = self._queue.claim()
        if job is None:
            return False
        try:
            self._handlers[job.kind](job.payload, f"harbour-{job.id}")
        except Exception as error:  # a handler may raise anything, and the queue has to go on
            self._queue.bury(job, f"{type(error).__name__}: {error}")
        else:
            self._queue.finish(job)
        return True

    def run(self) -> None:
        """Runs until the process is stopped."""
        while True:
            if not self.step():
                time.sleep(IDLE_SECONDS)
