"""`plan --project`: the folder that is named is the project, it is asked for trust, and nothing else is read for it."""

import json
import subprocess
from pathlib import Path

import pytest

from backstory.engine.open import Engine
from backstory.engine.planning.plan import plan
from backstory.engine.state.open_project import LOOK_SECONDS
from backstory.records.planning import PlanRequest
from tests.fakes.desk import Desk

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


@pytest.mark.parametrize("kind", ["folder", "repository"])
def test_a_plan_looks_for_what_changed_in_the_project(desk: Desk, tmp_path: Path, kind: str) -> None:
    root = tmp_path / "kiln"
    (root / "src" / "lib").mkdir(parents=True)
    (root / "src" / "old.py").write_text("def fire(): return 1\n", encoding="utf-8")
    (root / "src" / "gone.py").write_text("def cool_slowly(): return 1\n", encoding="utf-8")
    if kind == "repository":
        subprocess.run(["git", "-C", str(root), "init", "-q"], check=True)
    desk.pi("k1", ["begin", "yes"])
    desk.run("project", "trust", "--root", str(root))

    def quoted(request: str, *more: str) -> str:
        answer = desk.ask("plan", "k1", "--request", request, "--project", str(root), *more)
        return json.dumps([message["content"] for message in answer["messages"] if message["kind"] == "project"])

    assert "cool_slowly" in quoted("fix cool_slowly")
    (root / "src" / "lib" / "newly.py").write_text("def glaze_evenly(): return 2\n", encoding="utf-8")
    (root / "src" / "old.py").write_text("def fire_twice_over(): return 2\n", encoding="utf-8")
    (root / "src" / "gone.py").unlink()
    assert "glaze_evenly" not in quoted("fix glaze_evenly", "--no-sync")
    assert "newly.py" in quoted("fix glaze_evenly")
    assert "old.py" in quoted("fix fire_twice_over")
    assert "gone.py" not in quoted("fix cool_slowly")


class Watch(Engine):
    """An engine whose seconds are counted by hand."""

    seconds = 0.0

    def clock(self) -> float:
        return self.seconds


def test_calls_that_follow_each_other_look_once_in_a_while(desk: Desk, shop: Path) -> None:
    desk.run("project", "trust", "--root", str(shop))
    desk.run("index")
    with Watch(desk.data, desk.env()) as engine:

        def quoted() -> str:
            request = PlanRequest(session="p1", request="fix mend_the_ledger", project=str(shop))
            return str([message.content for message in plan(engine, request).messages if message.kind == "project"])

        assert "mend_the_ledger" not in quoted()
        (shop / "mend.py").write_text("def mend_the_ledger(): return 2\n", encoding="utf-8")
        assert "mend_the_ledger" not in quoted()
        engine.seconds += LOOK_SECONDS
        assert "mend_the_ledger" in quoted()


def test_the_source_of_a_call_is_listed_whichever_project_it_is_from(desk: Desk, shop: Path) -> None:
    desk.run("project", "trust", "--root", str(shop))
    manifest = desk.ask("plan", "p1", *REQUEST, "--project", str(shop))["manifest"]
    ids = [one["id"] for one in manifest["snippets"]]
    assert len(ids) == 2
    said = desk.ask("context", "project", "p1")
    assert f"2 pieces of source from {shop}" in said["text"]
    assert "whole.py:1-2" in said["text"]
    assert said["data"]["snippets"] == ids
    desk.run("project", "untrust", "--root", str(shop))
    hidden = desk.ask("context", "project", "p1")
    assert "2 pieces of source" in hidden["text"]
    assert "not trusted" in hidden["text"]
    assert "whole.py" not in hidden["text"]
    assert hidden["data"]["snippets"] == []


@pytest.mark.parametrize("command", ["manifest", "included"])
def test_items_of_a_call_name_their_files_while_the_project_is_trusted(desk: Desk, shop: Path, command: str) -> None:
    desk.run("project", "trust", "--root", str(shop))
    desk.ask("plan", "p1", *REQUEST, "--project", str(shop))
    assert "part/piece.py:1-2 " in desk.ask("context", command, "p1")["text"]
    desk.run("project", "untrust", "--root", str(shop))
    hidden = desk.ask("context", command, "p1")["text"]
    assert ".py" not in hidden
    assert "declares 1 name of the request" in hidden


def test_a_manifest_names_the_project_wherever_it_was_asked_from(
    desk: Desk, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.run("project", "trust", "--root", str(shop))
    monkeypatch.chdir(shop.parent)
    assert desk.ask("plan", "p1", *REQUEST, "--project", shop.name)["manifest"]["project"] == str(shop)
