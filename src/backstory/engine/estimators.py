"""Finds the token estimator that a model's settings name; the one that knows a real vocabulary is an optional part."""

from collections.abc import Callable
from functools import cache
from importlib import import_module

from backstory.text.tokens import CHARS, Estimator

BPE = "bpe"
MISSING = "the estimator bpe needs an optional part (pip install 'backstory[bpe]'); chars-v1 is used"


def named(version: str) -> tuple[Estimator, str | None]:
    """The estimator of a name, and a warning when another one has to do."""
    if version != BPE:
        return CHARS, None
    found = _bpe()
    return (CHARS, MISSING) if found is None else (found, None)


@cache
def _bpe() -> Estimator | None:
    """The o200k vocabulary, which its package brings along; None when it is not installed."""
    try:
        # The package's own Python layer builds tables for a second that counting has no use for.
        count: Callable[[str], int] = import_module("bpe_openai._bindings").tokenizer_for_encoding("o200k_base").count
    except (ImportError, AttributeError):
        return None
    return Estimator(BPE, lambda text: count(text.encode("utf-8", "replace").decode()))
