"""A source of a third party, in a package of its own: found, searched, and no danger to anybody else's sessions."""

import json
import os
import sys
from pathlib import Path

import pytest

from backstory.sources import registry
from tests.fakes.desk import Desk

ADAPTER = """
from pathlib import PurePath

import msgspec

from backstory.records.session import Draft, Facts, Kind
from backstory.sources.base import Source
from backstory.sources.locations import Base, Location


class OrchardError(Exception):
    pass


class Parser:
    def __init__(self, path, facts):
        self.facts = facts or Facts(id=PurePath(path).stem, shape="line", models=[], state={})

    def parse(self, raw):
        said = msgspec.json.decode(raw)["orchard"]
        if said == "rotten":
            raise OrchardError("a worm")
        return [Draft(kind=Kind.SUMMARY, role="user", text=said, time=1, visible=True)]


class Orchard(Source):
    location = Location("orchard", "Orchard", (".orchard",), (Base(None, ("{base}/.orchard",)),), "orchard -r {id}")

    def recognise(self, path, head):
        return b'"orchard"' in head

    def parser(self, path, facts=None):
        return Parser(path, facts)
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder with the package, in which processes look for modules."""
    folder = tmp_path / "site"
    described = folder / "orchard-1.dist-info"
    described.mkdir(parents=True)
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: orchard\nVersion: 1\n", encoding="utf-8")
    points = f"[{registry.GROUP}]\norchard = orchard_sessions:Orchard\n"
    (described / "entry_points.txt").write_text(points, encoding="utf-8")
    (folder / "orchard_sessions.py").write_text(ADAPTER, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path, os.fspath(folder)])
    return folder


def grow(desk: Desk, name: str, *said: str) -> Path:
    lines = "".join(json.dumps({"orchard": one}) + "\n" for one in said)
    return desk.put(desk.home / ".orchard" / f"{name}.orchard", lines.encode())


@pytest.mark.usefixtures("package")
def test_its_sessions_are_found_and_resumed_like_any(desk: Desk) -> None:
    grow(desk, "o1", "the quince is ripe")
    found = json.loads(desk.spawn("search", "quince", "--json").out)["items"]
    assert [(one["source"], one["session_id"]) for one in found] == [("orchard", "o1")]
    assert "orchard -r o1" in desk.spawn("show", "o1").out


@pytest.mark.usefixtures("package")
def test_whatever_it_raises_costs_that_session_alone(desk: Desk) -> None:
    desk.pi("p1", ["the quince is green"])
    grow(desk, "o1", "the quince is ripe")
    rotten = grow(desk, "o2", "rotten", "the quince is gone")
    answer = desk.spawn("search", "quince", "--json")
    assert answer.code == 3, answer.err
    assert sorted(one["session_id"] for one in answer.json["items"]) == ["o1", "p1"]
    assert [one["path"] for one in answer.json["problems"]] == [str(rotten)]
    grow(desk, "o2", "the quince is gone")
    assert len(json.loads(desk.spawn("search", "quince", "--json").out)["items"]) == 3


def test_without_its_package_what_was_indexed_is_still_found_and_shown(
    desk: Desk, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.pi("p1", ["the quince is green"])
    folder = grow(desk, "o1", "the quince is ripe").parent
    assert desk.spawn("index", "--root", f"orchard={folder}").code == 0
    monkeypatch.setattr(sys, "path", sys.path[:-1])
    assert package.exists()
    found = json.loads(desk.spawn("search", "quince", "--json").out)["items"]
    assert [(one["session_id"], one["missing"]) for one in found] == [("p1", False), ("o1", False)]
    shown = desk.spawn("show", "o1")
    assert (shown.code, "the quince is ripe" in shown.out) == (0, True), shown.err
    checked = desk.spawn("verify", "--json")
    assert (checked.code, checked.json["sessions"]) == (3, 1), checked.err
    assert [one["reason"] for one in checked.json["problems"]] == ["no source is called 'orchard'"]
