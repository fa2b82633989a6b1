"""Lets the first interruption of a long command be a wish, which the work grants where it can keep what it has done.

The next one ends the command on the spot, as the first one does for any other command.
"""

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def patient() -> Iterator[Callable[[], bool]]:
    """Gives what tells whether somebody interrupted; who ignores interruptions, or handles them, goes on to do so."""
    wished: list[int] = []

    def note(number: int, _frame: object) -> None:
        if wished:
            raise KeyboardInterrupt
        wished.append(number)

    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield lambda: False
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(wished)
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
