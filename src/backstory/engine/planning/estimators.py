"""Finds the token estimator that a model's settings name; the one that knows a real vocabulary is an optional part."""

from collections.abc import Callable
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, FileFinder
from importlib.util import find_spec, module_from_spec
from typing import Any

from backstory.text.tokens import CHARS, Estimator

BPE = "bpe"
MISSING = "the estimator bpe needs an optional part (backstory[bpe], which brings bpe-openai); chars-v1 is used"
PACKAGE = "bpe_openai"


def named(version: str) -> tuple[Estimator, str | None]:
    """The estimator of a name, and a warning when another one has to do."""
    if version != BPE:
        return CHARS, None
    found = bpe()
    return (CHARS, MISSING) if found is None else (found, None)


@cache
def bpe() -> Estimator | None:
    """The o200k vocabulary, which its package brings along; None when it is not installed."""
    module = _bindings()
    if module is None:
        return None
    count: Callable[[str], int] = module.tokenizer_for_encoding("o200k_base").count
    return Estimator(BPE, lambda text: count(text.encode("utf-8", "replace").decode()))


def _bindings() -> Any:
    """The package's compiled module alone: importing the package builds tables for a second that nobody looks at."""
    package = find_spec(PACKAGE)
    for folder in (package.submodule_search_locations or ()) if package is not None else ():
        spec = FileFinder(folder, (ExtensionFileLoader, EXTENSION_SUFFIXES)).find_spec("_bindings")
        if spec is not None and spec.loader is not None:
            module = module_from_spec(spec)
            spec.loader.exec_module(module)
            return module
    return None
