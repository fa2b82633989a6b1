import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.errors import UnknownSourceError
from backstory.sources import registry
from backstory.sources.adapters.codex.source import Codex
from backstory.sources.locations import LOCATIONS

ADAPTER = """
from backstory.sources.adapters.codex.source import Codex
from backstory.sources.locations import Location


class Zed(Codex):
    location = Location("zed", "Zed", (".zed",))
"""
POINTS = f"""
[{registry.GROUP}]
zed = zed_sessions:Zed
codex = nonesuch:Thief
gone = nonesuch:Gone
posing = zed_sessions:Zed
"""


def forget() -> None:
    for cached in (registry.foreign, registry.load, registry.locations):
        cached.cache_clear()


@pytest.fixture
def third_party(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    package = tmp_path / "zed_sessions-1.dist-info"
    package.mkdir()
    (package / "METADATA").write_text("Metadata-Version: 2.1\nName: zed-sessions\nVersion: 1\n", encoding="utf-8")
    (package / "entry_points.txt").write_text(POINTS, encoding="utf-8")
    (tmp_path / "zed_sessions.py").write_text(ADAPTER, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    forget()
    yield
    sys.modules.pop("zed_sessions", None)
    forget()


@pytest.mark.usefixtures("third_party")
def test_third_parties_join_by_entry_point_and_cannot_replace_ours() -> None:
    assert registry.names() == [*registry.ROWS, "zed"]
    assert type(registry.load("zed")).__name__ == "Zed"
    assert type(registry.load("codex")) is Codex
    assert registry.locations() == (*LOCATIONS.values(), registry.load("zed").location)


@pytest.mark.usefixtures("third_party")
def test_a_source_that_cannot_be_loaded_costs_no_other_and_is_named() -> None:
    assert registry.broken() == {
        "gone": "ModuleNotFoundError: No module named 'nonesuch'",
        "posing": "its location is called 'zed'",
    }
    for name in registry.broken():
        with pytest.raises(UnknownSourceError):
            registry.load(name)


@pytest.mark.usefixtures("third_party")
def test_what_cannot_be_looked_into_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old.egg-info").write_text("Name: old\n", encoding="utf-8")
    (tmp_path / "bare.dist-info").mkdir()
    monkeypatch.setattr(sys, "path", ["/nonesuch", str(tmp_path / "zed_sessions.py"), *sys.path])
    assert "zed" in registry.names()


def test_every_source_of_ours_has_a_location() -> None:
    assert list(LOCATIONS) == list(registry.ROWS)
    assert all(registry.load(name).location is location for name, location in LOCATIONS.items())


@pytest.mark.parametrize(("asked", "loaded"), [("load('codex')", {"codex"}), ("locations()", set())])
def test_no_adapter_is_imported_unasked_and_no_entry_points_are_read(asked: str, loaded: set[str]) -> None:
    code = (
        f"import sys; from backstory.sources import registry; registry.{asked};"
        "print(*[name for name in sys.modules if name.startswith('backstory.sources.adapters.')]);"
        "print('importlib.metadata' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    modules, read = ran.stdout.splitlines()
    assert {name.split(".")[3] for name in modules.split()} == loaded
    assert read == "False"
