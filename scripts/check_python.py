"""Stops with a plain sentence when the Python that make found is too old."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(f"Backstory needs Python 3.11 or newer, this is {sys.version.split()[0]}; try: make PYTHON=python3.12 run")
