"""A session of many turns, counted and priced, and an engine that has read it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.engine.open import Engine
from tests.fakes.priced import Priced, over


@pytest.fixture
def log() -> Priced:
    made = Priced()
    for number in range(30):
        made.turn(number, 2_000)
    made.say("user", {"type": "text", "text": "where is handlerNumber3 called?"})
    return made


@pytest.fixture
def engine(tmp_path: Path, log: Priced) -> Iterator[Engine]:
    with over(tmp_path, log) as opened:
        yield opened
