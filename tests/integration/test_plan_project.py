"""`plan --project`: the folder that is named is the project, it is asked for trust, and nothing else is read for it."""

import json
from pathlib import Path

import pytest

from tests.integration.conftest import Desk

REQUEST = ("--request", "where does reconcile_ledger sort its rows?")


@pytest.fixture
def shop(desk: Desk) -> Path:
    """A repository with a folder in it, and a session."""
    root = desk.home / "shop"
    (root / ".git").mkdir(parents=True)
    (root / "part").mkdir()
    (root / "whole.py").write_text("def reconcile_ledger(rows):\n    return sorted(rows)\n", encoding="utf-8")
    (root / "part" / "piece.py").write_text("def reconcile_ledger(rows):\n    return list(rows)\n", encoding="utf-8")
    desk.pi("p1", ["sort the ledger", "done"])
    return root


def test_source_of_a_trusted_project_is_quoted(desk: Desk, shop: Path) -> None:
    desk.run("project", "trust", "--root", str(shop))
    sent = json.dumps(desk.ask("plan", "p1", *REQUEST, "--project", str(shop)))
    assert "whole.py" in sent
    assert "piece.py" in sent


@pytest.mark.parametrize("around", ["trusted", "untrusted"])
def test_the_folder_that_is_named_is_the_project(desk: Desk, shop: Path, around: str) -> None:
    if around == "trusted":
        desk.run("project", "trust", "--root", str(shop))
    part = shop / "part"
    told = desk.run("plan", "p1", *REQUEST, "--project", str(part))
    assert f"trust --root {part}" in told.out + told.err
    assert ".py" not in told.out
    desk.run("project", "trust", "--root", str(part))
    sent = json.dumps(desk.ask("plan", "p1", *REQUEST, "--project", str(part)))
    assert "piece.py" in sent
    assert "whole.py" not in sent
