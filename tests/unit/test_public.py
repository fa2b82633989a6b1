"""The public names are a list, and every one of them is there."""

import subprocess
import sys
from pathlib import Path

import pytest

import backstory


def test_the_public_names_are_these_and_all_of_them_load() -> None:
    assert sorted(backstory.__all__) == ["Engine", "Token", "errors", "open_engine"]
    for name in backstory.__all__:
        assert getattr(backstory, name) is not None
        assert name in dir(backstory)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = backstory.nothing


def test_importing_the_package_loads_none_of_its_parts() -> None:
    code = "import sys, backstory; print(sorted(name for name in sys.modules if name.startswith('backstory.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.strip() == "[]"


def test_an_engine_opens_through_the_public_name(tmp_path: Path) -> None:
    with backstory.open_engine(tmp_path, env={"HOME": str(tmp_path)}) as engine:
        assert isinstance(engine, backstory.Engine)
        assert engine.query.list_sessions().items == ()
