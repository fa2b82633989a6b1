"""What the report on storage counts beside the history."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.desk import Desk
from tests.fakes.project_tree import Tree


def kept(desk: Desk) -> dict[str, Any]:
    """The report by name."""
    return {one["name"]: one for one in desk.run("storage", "--json").json["kept"]}


def test_everything_that_is_kept_is_counted(desk: Desk, tmp_path: Path) -> None:
    desk.pi("s", ["read both files", "I did", "and now?"])
    desk.ask("index")
    empty = kept(desk)
    assert {name: one["count"] for name, one in empty.items()} == {
        "manifests": 0, "calibration samples": 0, "tool results": 0, "project indexes": 0, "ledger": 0,
    }  # fmt: skip
    desk.run("plan", "s", "--json")
    desk.ask("pin", "s", "never delete the emu")
    tree = Tree(tmp_path, git=False)
    tree.write("a.py", "def emu(): pass\n")
    assert desk.run("project", "index", "--root", str(tree.root), "--trust-once").code == 0
    full = kept(desk)
    for name in ("manifests", "project indexes", "ledger"):
        assert full[name]["count"] == 1
        assert full[name]["bytes"] > 0
        assert f"\n{name}  " in desk.run("storage").out
    assert re.search(r"\nledger +1 \(\d+ B\)\n", desk.run("storage").out)
    assert full["manifests"]["most"] == 128


def test_the_bound_is_the_one_that_was_set(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(desk.home)
    (desk.data).mkdir()
    (desk.data / "config.toml").write_text("[manifests]\nkeep = 7\n", encoding="utf-8")
    assert kept(desk)["manifests"]["most"] == 7
