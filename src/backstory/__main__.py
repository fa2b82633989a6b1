"""`python -m backstory` and the `backstory` command."""

import sys

from backstory.surfaces.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
