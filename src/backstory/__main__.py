"""`python -m backstory` and the `backstory` command."""

import gc
import os
import sys
from contextlib import suppress
from importlib import import_module

# Most commands end before they leave any garbage; looking for it all the time would be a tenth of their work.
gc.set_threshold(100_000)

if "typing_extensions" not in sys.modules:
    # msgspec takes typing_extensions where it is installed, and that pulls in `inspect`: a fifth of all start-up time,
    # for nothing on the Python versions we run on. While msgspec loads it finds none; afterwards others may.
    sys.modules["typing_extensions"] = None  # type: ignore[assignment]
    import_module("msgspec")
    del sys.modules["typing_extensions"]


def main() -> int:
    """Runs one command of the command line, or serves a host; gives the exit code."""
    surface = "rpc" if sys.argv[1:] == ["rpc"] else "cli"
    run: int = import_module(f"backstory.surfaces.{surface}.main").main()
    return run


def command() -> None:
    """The process of one command: ends without taking the interpreter apart, which nobody waits for any more."""
    code = main()
    threads = sys.modules.get("threading")
    if threads is None or threads.active_count() == 1:
        with suppress(OSError):
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:  # closed by the caller
                    stream.flush()
        os._exit(code)
    sys.exit(code)


if __name__ == "__main__":
    command()
