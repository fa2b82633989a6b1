"""A place that a person added can be taken back, and one that is no place is not added."""

import os
from pathlib import Path

import pytest

from tests.fakes import logs
from tests.fakes.desk import Desk


@pytest.fixture
def added(desk: Desk, tmp_path: Path) -> tuple[Desk, Path]:
    """A machine with a session in an added place."""
    path = desk.put(tmp_path / "a=b" / "p1.jsonl", logs.pi("p1", ["the quince is ripe"]))
    assert desk.run("index", "--root", f"pi={path.parent}").code == 0
    return desk, path


def places(desk: Desk) -> list[str]:
    return [one["path"] for row in desk.ask("sources")["sources"] for one in row["places"] if one["kind"] == "added"]


@pytest.mark.parametrize("name", ["{}", "pi={}", "{}/"])
def test_a_dropped_place_is_looked_at_no_more_and_what_was_indexed_stays(added: tuple[Desk, Path], name: str) -> None:
    desk, path = added
    assert places(desk) == [str(path.parent)]
    assert desk.run("index", "--drop-root", name.format(path.parent)).code == 0
    assert places(desk) == []
    desk.put(path.with_name("p2.jsonl"), logs.pi("p2", ["the medlar is ripe"]))
    assert desk.hits("medlar") == []
    assert len(desk.hits("quince")) == 1
    desk.ask("index", "--root", f"pi={path.parent}")
    assert (len(desk.hits("medlar")), places(desk)) == (1, [str(path.parent)])


@pytest.mark.parametrize("name", ["/nowhere", "codex={}", "nobody={}"])
def test_a_place_that_was_not_added_is_not_dropped(added: tuple[Desk, Path], name: str) -> None:
    desk, path = added
    told = desk.run("index", "--drop-root", name.format(path.parent))
    assert (told.code, "no such place was added; backstory sources lists them" in told.err) == (2, True)
    assert places(desk) == [str(path.parent)]


@pytest.mark.parametrize("kind", ["device", "pipe"])
def test_what_is_no_folder_and_no_file_is_not_added(desk: Desk, tmp_path: Path, kind: str) -> None:
    place = Path("/dev/null") if kind == "device" else tmp_path / "pipe"
    if kind == "pipe":
        os.mkfifo(place)
    told = desk.run("index", "--root", f"pi={place}")
    assert (told.code, "is no folder and no file of records" in told.err) == (2, True)
    assert places(desk) == []


@pytest.mark.parametrize("wrong", [("--root", "pi=/nowhere"), ("--root", "nobody=/"), ("--drop-root", "/nowhere")])
def test_a_place_that_makes_no_sense_leaves_the_others_as_they_were(
    added: tuple[Desk, Path], tmp_path: Path, wrong: tuple[str, str]
) -> None:
    desk, path = added
    other = tmp_path / "other"
    other.mkdir()
    assert desk.run("index", "--drop-root", str(path.parent), "--root", f"pi={other}", *wrong).code == 2
    assert places(desk) == [str(path.parent)]
