"""What the integration tests share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.desk import Desk
from tests.fakes.host import Clock


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """An empty machine."""
    made = Desk(tmp_path)
    monkeypatch.setenv("HOME", str(made.home))
    monkeypatch.setenv("BACKSTORY_HOME", str(made.data))
    monkeypatch.setenv("XDG_DATA_HOME", str(made.home / ".local" / "share"))
    return made


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Clock]:
    """An engine over an empty data folder, whose time is set by hand."""
    with Clock(tmp_path / "home", {"HOME": str(tmp_path)}) as engine:
        yield engine
