"""A place where nothing is found is told for what it is, whichever command was given it."""

from pathlib import Path

import pytest

from backstory.config.paths import absent
from tests.fakes.desk import Desk

NAMES = {
    "missing": "does not exist",
    "file/inside": "does not exist",
    "loop": "is a link that leads back to itself",
    "there": "is a link that leads back to itself",
    "loop/inside": "is a link that leads back to itself",
    "dangling": "is a link to nowhere, where nothing is",
}


@pytest.fixture
def places(tmp_path: Path) -> Path:
    """A folder with a file, a link to nowhere, a link to itself and two that lead to each other."""
    made = tmp_path / "places"
    made.mkdir()
    (made / "file").write_bytes(b"")
    for name, target in (("loop", "loop"), ("there", "back"), ("back", "there"), ("dangling", "nowhere")):
        (made / name).symlink_to(target)
    return made


@pytest.mark.parametrize("name", NAMES)
def test_why_nothing_is_found_is_said(desk: Desk, places: Path, name: str) -> None:
    place = places / name
    answer = desk.run("index", "--root", f"pi={place}")
    assert answer.code == 2
    assert f"{place} {NAMES[name]} [USAGE]" in answer.err
    told = desk.run("project", "trust", "--root", str(place)).err
    assert f"{place} cannot be a project: " in told
    assert ("there is no such folder" in told) is (NAMES[name] == "does not exist")
    assert (NAMES[name] in told) is (NAMES[name] != "does not exist")


def test_what_cannot_be_looked_at_is_not_called_absent(places: Path) -> None:
    assert absent(places / ("x" * 300)) == "cannot be reached: File name too long"


def test_what_is_there_is_not_absent(places: Path) -> None:
    assert absent(places) is absent(places / "file") is None
    assert absent("a\0b") == "does not exist"
