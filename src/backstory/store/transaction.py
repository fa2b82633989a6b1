"""Write transactions: BEGIN IMMEDIATE with bounded, busy-aware retry of the whole start, rollback on any error.

Lock errors carry metadata only: the operation's name, attempts and time waited.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

import apsw

from backstory.errors import LockedDatabaseError

WAIT_MS = 10_000
STEP_MS = 5
LONGEST_STEP_MS = 100
T = TypeVar("T")


@contextmanager
def write(connection: apsw.Connection, operation: str, wait_ms: int | None = None) -> Iterator[None]:
    """Runs the body in one write transaction; nested use joins the outer one.

    Raises:
        LockedDatabaseError: another process held the lock for `wait_ms`, by default `WAIT_MS`.
    """
    if connection.in_transaction:
        yield
        return
    patiently(lambda: connection.execute("BEGIN IMMEDIATE"), operation, wait_ms)
    try:
        yield
        patiently(lambda: connection.execute("COMMIT"), operation, wait_ms)
    except BaseException:
        undo(connection)
        raise


def undo(connection: apsw.Connection) -> None:
    """Rolls back, unless SQLite did by itself, as it does on a full disk once its statements end."""
    if not connection.get_autocommit():
        with suppress(apsw.Error):
            connection.execute("ROLLBACK")


def patiently(step: Callable[[], T], operation: str, wait_ms: int | None = None) -> T:
    """What a step gives once no other process stands in its way.

    Raises:
        LockedDatabaseError: one still did after `wait_ms`, by default `WAIT_MS`.
    """
    longest = WAIT_MS if wait_ms is None else wait_ms
    start = time.monotonic()
    attempts = 0
    while True:
        attempts += 1
        try:
            return step()
        except (apsw.BusyError, apsw.LockedError):
            waited = int((time.monotonic() - start) * 1000)
            if waited >= longest:
                raise LockedDatabaseError(operation, attempts, waited) from None
            time.sleep(min(STEP_MS * 2 ** min(attempts, 10), LONGEST_STEP_MS) / 1000)
