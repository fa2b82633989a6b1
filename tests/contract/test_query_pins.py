"""Every promise of the query service has a test, and every pinned promise exists."""

import importlib
from pathlib import Path

from tests.contract.query_pins import PROMISES


def _pinned() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for path in sorted(Path(__file__).parent.glob("test_query_conformance*.py")):
        module = importlib.import_module(f"tests.contract.{path.stem}")
        for name, value in vars(module).items():
            for promise in getattr(value, "pins", ()):
                assert name.startswith("test_"), f"{name} pins a promise but is no test"
                found.setdefault(promise, []).append(name)
    return found


def test_every_promise_has_a_test() -> None:
    assert sorted(PROMISES.keys() - _pinned().keys()) == []


def test_every_pin_names_a_promise() -> None:
    assert sorted(_pinned().keys() - PROMISES.keys()) == []
