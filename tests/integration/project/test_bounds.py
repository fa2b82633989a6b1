"""What settings say about the size of a project's index holds for everybody who indexes it."""

import json
from pathlib import Path

import pytest

from tests.fakes.desk import Desk
from tests.fakes.project_tree import module


@pytest.fixture
def tree(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A trusted project of four files that wants two of them to be indexed."""
    root = tmp_path / "tree"
    (root / ".pi").mkdir(parents=True)
    for number in range(4):
        (root / f"area{number}.py").write_text(module(f"do_{number}", f"topic{number} widget"), encoding="utf-8")
    (root / ".pi" / "ds4-context.json").write_text(json.dumps({"project": {"maxFiles": 2}}), encoding="utf-8")
    monkeypatch.chdir(root)
    assert desk.run("project", "trust").code == 0
    return root


def paths(desk: Desk) -> list[str]:
    return [one["path"] for one in desk.run("project", "files", "--json").json["files"]]


def test_indexing_keeps_to_it_and_says_so(desk: Desk, tree: Path) -> None:
    told = desk.run("project", "index", "--json").json
    assert (told["files"], told["truncated"]) == (2, True)
    assert paths(desk) == ["area0.py", "area1.py"]


def test_searching_and_planning_keep_to_it_too(desk: Desk, tree: Path) -> None:
    desk.pi("p1", ["where is the widget?", "in an area"], cwd=str(tree))
    desk.run("project", "search", "widget")
    assert paths(desk) == ["area0.py", "area1.py"]
    desk.run("plan", "p1", "--project", str(tree), "--request", "where is topic3 widget?")
    assert paths(desk) == ["area0.py", "area1.py"]


def test_a_wider_bound_is_followed_at_the_next_look(desk: Desk, tree: Path) -> None:
    desk.run("project", "index")
    (tree / ".pi" / "ds4-context.json").write_text(json.dumps({"project": {"maxFiles": 3}}), encoding="utf-8")
    desk.run("project", "index")
    assert len(paths(desk)) == 3


def test_who_trusts_it_for_once_keeps_to_it_too(desk: Desk, tree: Path) -> None:
    assert desk.run("project", "untrust").code == 0
    answer = desk.run("project", "index", "--trust-once", "--json")
    assert answer.json["files"] == 2
