"""Fixtures for tests that drive the real Pi; without it below `.tools` they are skipped."""

from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.fakes.model_server import ModelServer
from tests.pi.driver import NODE, VERSIONS, Person, cli


@pytest.fixture(scope="session")
def server() -> Iterator[ModelServer]:
    """One model server for all tests of this process."""
    made = ModelServer()
    yield made
    made.close()


@pytest.fixture(params=sorted(VERSIONS, reverse=True))
def version(request: pytest.FixtureRequest) -> str:
    """Every version of Pi in turn."""
    chosen: str = request.param
    if not NODE.exists() or not cli(chosen).exists():
        pytest.skip(f"Pi {chosen} is not below .tools; `make tools` installs it")
    return chosen


@pytest.fixture
def person(version: str, server: ModelServer, tmp_path: Path) -> Callable[..., Person]:
    """Makes people who use Pi; each has folders and a model of their own."""
    numbers = count()

    def make(*, installed: bool = True, window: int = 128_000) -> Person:
        number = next(numbers)
        made = Person(version, tmp_path / f"p{number}", server, f"{tmp_path.name}-{number}", window)
        if installed:
            made.install()
        return made

    return make
