"""Loads a module when it is used: the one place where an import waits.

A command pays at start-up for its own nouns only. Names are "module:attribute" below `backstory`.
"""

from importlib import import_module
from typing import Any


def load(name: str) -> Any:
    """The named object."""
    module, _, attribute = name.partition(":")
    return getattr(import_module(f"backstory.{module}"), attribute)
