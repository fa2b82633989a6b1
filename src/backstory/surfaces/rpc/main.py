"""`backstory rpc`: takes standard output for itself and serves until the end of standard input.

Whatever a library prints goes to standard error, so that nothing but messages is ever on standard output.
"""

import os
import sys

from backstory.engine.host.host import Host
from backstory.engine.open import open_engine
from backstory.errors import BackstoryError
from backstory.surfaces.rpc.server import Server, lines


def main() -> int:
    """Serves; gives the exit code."""
    if sys.stdout is None or sys.stdin is None:
        if sys.stderr is not None:
            sys.stderr.write("backstory: standard input and output have to be open\n")
        return 1
    own = os.dup(sys.stdout.fileno())
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    sys.stdout = sys.stderr
    try:
        with open_engine() as engine, open(own, "wb") as sink:
            Server(Host(engine), lines(sys.stdin.fileno()), sink).run()
    except KeyboardInterrupt:
        return 130
    except BackstoryError as error:
        sys.stderr.write(f"backstory: {error.helpful} [{error.code}]\n")
        return 1
    return 0
