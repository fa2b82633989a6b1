"""Loads named SQL statements from the `.sql` file beside a store module.

A block starts with a line `-- name: some_name`; what follows, up to the next such line, is its text.
"""

from functools import cache
from importlib import resources
from types import SimpleNamespace


@cache
def load(name: str) -> SimpleNamespace:
    """The statements of `store/<name>.sql` as attributes; AttributeError for a name that the file lacks."""
    text = resources.files("backstory.store").joinpath(f"{name}.sql").read_text(encoding="utf-8")
    blocks = text.split("-- name: ")[1:]
    pairs = (block.split("\n", 1) for block in blocks)
    return SimpleNamespace(**{title.strip(): body.strip() for title, body in pairs})
