"""`python -m backstory` and the `backstory` command."""

import sys
from importlib import import_module

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


if __name__ == "__main__":
    sys.exit(main())
