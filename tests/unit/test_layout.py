"""Tests stand where one looks for them, and use public names alone."""

import re
from pathlib import Path

TESTS = Path(__file__).parents[1]
SOURCE = TESTS.parent / "src" / "backstory"
# Folders of integration tests that are of no package of the engine.
OTHERS = {"surfaces", "repository"}
# The linter sees private names that are used, but not those that are replaced by their text.
REPLACED = re.compile(r"""(?:setattr|delattr)\(\s*(?:[\w.]+,\s*["']|["'][\w.]+\.)_[a-z]\w*["']""")


def test_integration_tests_have_the_folders_of_the_engine() -> None:
    packages = {folder.name for folder in (SOURCE / "engine").iterdir() if (folder / "__init__.py").exists()}
    places = {
        file.parent.relative_to(TESTS / "integration").as_posix() for file in TESTS.glob("integration/**/test_*.py")
    }
    assert places - OTHERS <= packages
    assert places > OTHERS


def test_no_test_replaces_a_private_name() -> None:
    assert REPLACED.search('monkeypatch.setattr(module, "_name", other)')
    assert REPLACED.search('patch.setattr("backstory.engine.open._name", other)')
    found = [
        str(file) for file in TESTS.rglob("*.py") if file != Path(__file__) and REPLACED.search(file.read_text("utf-8"))
    ]
    assert found == []
