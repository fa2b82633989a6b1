import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint

import pytest

from backstory.sources import registry
from backstory.sources.adapters.codex.source import Codex


@pytest.fixture
def third_party(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    points = (
        EntryPoint("zed", "backstory.sources.adapters.codex.source:Codex", registry.GROUP),
        EntryPoint("codex", "nonesuch:Thief", registry.GROUP),
    )
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points if group == registry.GROUP else ())
    registry._foreign.cache_clear()
    registry.load.cache_clear()
    yield
    registry._foreign.cache_clear()
    registry.load.cache_clear()


@pytest.mark.usefixtures("third_party")
def test_third_parties_join_by_entry_point_and_cannot_replace_ours() -> None:
    assert registry.names() == [*registry.ROWS, "zed"]
    assert isinstance(registry.load("zed"), Codex)
    assert isinstance(registry.load("codex"), Codex)


def test_loading_one_source_imports_no_other_and_reads_no_entry_points() -> None:
    code = (
        "import sys; from backstory.sources import registry; registry.load('codex');"
        "print(*[name for name in sys.modules if name.startswith('backstory.sources.adapters.')]);"
        "print('importlib.metadata' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules, asked = ran.stdout.splitlines()
    assert {name.split(".")[3] for name in modules.split()} == {"codex"}
    assert asked == "False"
