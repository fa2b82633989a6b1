"""`python -m backstory` and the `backstory` command."""

import gc
import os
import sys
from _thread import interrupt_main, start_new_thread
from contextlib import suppress
from importlib import import_module
from time import sleep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from sys import UnraisableHookArgs

INTERRUPTED = 130
SOON = 0.01  # seconds
# Most commands end before they leave any garbage; looking for it all the time would be a tenth of their work.
gc.set_threshold(100_000)


def main() -> int:
    """Runs one command of the command line, or serves a host; gives the exit code."""
    _records()
    surface = "rpc" if sys.argv[1:] == ["rpc"] else "cli"
    run: int = import_module(f"backstory.surfaces.{surface}.main").main()
    return run


def _records() -> None:
    """Loads msgspec without typing_extensions.

    It takes that where it is installed, and that pulls in `inspect`: a fifth of all start-up time, for nothing on the
    Python versions we run on. While msgspec loads it finds none; afterwards others may.

    An interruption waits until it is loaded: it swallows one, stays half made, and ends the process when it is used.
    """
    if "typing_extensions" not in sys.modules:
        sys.modules["typing_extensions"] = None  # type: ignore[assignment]
        signals = import_module("_signal")  # what `signal` dresses up in enumerations, slowly
        held = signals.pthread_sigmask(signals.SIG_BLOCK, (signals.SIGINT,))
        try:
            import_module("msgspec")
        finally:
            signals.pthread_sigmask(signals.SIG_SETMASK, held)
        del sys.modules["typing_extensions"]


def command() -> None:
    """The process of one command: ends without taking the interpreter apart, which nobody waits for any more.

    Interrupted at any moment, also before or while the command itself answers to that, it says no more than it has.
    """
    sys.unraisablehook = _unraisable
    code = INTERRUPTED
    with suppress(KeyboardInterrupt):
        code = main()
        threads = sys.modules.get("threading")
        if code != INTERRUPTED and threads is not None and threads.active_count() > 1:
            sys.exit(code)
    with suppress(OSError, KeyboardInterrupt):
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # closed by the caller
                stream.flush()
    os._exit(code)


def _unraisable(told: "UnraisableHookArgs") -> None:
    """Lets an interruption that came while something was put away, where nothing can be raised, come once more."""
    if told.exc_type is KeyboardInterrupt:
        start_new_thread(_interrupt, ())
    else:
        sys.__unraisablehook__(told)


def _interrupt() -> None:
    sleep(SOON)
    interrupt_main()


if __name__ == "__main__":
    command()
