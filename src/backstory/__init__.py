"""Backstory gives coding agents, and the people who use them, their memory back.

The public names are those of `__all__`. What an engine answers is a record from `backstory.records`, what it raises is
in `backstory.errors`. Names are loaded when first used, so that a command pays for nothing it does not need, and
nothing slow is loaded before an interruption is answered.
"""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from backstory import errors
    from backstory.engine.open import Engine, open_engine
    from backstory.store.cancel import Token

__version__ = "0.1.0"
__all__ = ["Engine", "Token", "errors", "open_engine"]

_HOMES = {"Engine": "backstory.engine.open", "open_engine": "backstory.engine.open", "Token": "backstory.store.cancel"}


def __getattr__(name: str) -> "Any":
    if name == "errors":
        return import_module("backstory.errors")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'backstory' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
