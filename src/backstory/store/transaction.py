"""Write transactions: BEGIN IMMEDIATE with bounded, busy-aware retry of the whole start, rollback on any error.

Lock errors carry metadata only: the operation's name, attempts and time waited.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import apsw

from backstory.errors import LockedDatabaseError

WAIT_MS = 10_000
STEP_MS = 5
LONGEST_STEP_MS = 100


@contextmanager
def write(connection: apsw.Connection, operation: str, wait_ms: int = WAIT_MS) -> Iterator[None]:
    """Runs the body in one write transaction; nested use joins the outer one.

    Raises:
        LockedDatabaseError: another process held the lock for `wait_ms`.
    """
    if connection.in_transaction:
        yield
        return
    _begin(connection, operation, wait_ms)
    try:
        yield
        _patiently(lambda: connection.execute("COMMIT"), operation, wait_ms)
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _begin(connection: apsw.Connection, operation: str, wait_ms: int) -> None:
    _patiently(lambda: connection.execute("BEGIN IMMEDIATE"), operation, wait_ms)


def _patiently(step: Callable[[], object], operation: str, wait_ms: int) -> None:
    start = time.monotonic()
    attempts = 0
    while True:
        attempts += 1
        try:
            step()
        except (apsw.BusyError, apsw.LockedError):
            waited = int((time.monotonic() - start) * 1000)
            if waited >= wait_ms:
                raise LockedDatabaseError(operation, attempts, waited) from None
            time.sleep(min(STEP_MS * 2 ** min(attempts, 10), LONGEST_STEP_MS) / 1000)
        else:
            return
