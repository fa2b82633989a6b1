"""What rules of privacy leave out of a call as a whole is told, by kind, id and level, and never by its words."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.desk import Desk

CANARY = "CANARYVALUE"
ASK = ("plan", "talk", "--request", "how is reconcile_ledger called?", "--budget", "4000")
LONG = "Something else entirely is told here at length. " * 90


@pytest.fixture
def desk(desk: Desk) -> Desk:
    """A pin, a memory, an earlier message and a file of a project, all of them for this machine alone."""
    root = desk.home / "shop"
    (root / ".git").mkdir(parents=True)
    marked = f"# [ds4:local-only]\ndef reconcile_ledger(rows):\n    return {CANARY}\n# [/ds4:local-only]\n"
    (root / "ledger.py").write_text(marked, encoding="utf-8")
    said = f"[ds4:local-only]reconcile_ledger is called with {CANARY}[/ds4:local-only]"
    desk.pi("talk", ["begin", "yes", said, "noted", *(f"{number}. {LONG}" for number in range(10))])
    desk.data.mkdir()
    Path(desk.data, "config.toml").write_text('[privacy]\nenabled = true\nlocal = ["ollama"]\n', encoding="utf-8")
    desk.run("index")
    desk.run("pin", "talk", f"the host is {CANARY}", "--classification", "local-only")
    desk.run("memory", "add", "talk", f"reconcile_ledger needs {CANARY}", "--classification", "local-only")
    desk.run("project", "trust", "--root", str(root))
    desk.run("project", "search", "reconcile_ledger", "--root", str(root))
    return desk


def planned(desk: Desk, model: str) -> Any:
    return desk.ask(*ASK, "--model", model, "--project", str(desk.home / "shop"))


def refused(manifest: Any) -> dict[str, Any]:
    return {line["kind"]: line for line in manifest["excluded"] if "may not see" in line["reason"]}


def test_everything_left_out_is_listed_without_its_words(desk: Desk) -> None:
    answer = planned(desk, "openai/any")
    out = refused(answer["manifest"])
    assert set(out) == {"pin", "memory", "retrieval", "project"}
    assert {line["level"] for line in out.values()} == {"local-only"}
    assert all(line["source"] and line["tokens"] > 0 for line in out.values())
    assert answer["manifest"]["privacy"]["excluded"] == len(out)
    assert CANARY not in json.dumps(answer)
    name = answer["manifest"]["id"]
    listed = desk.run("manifest", "excluded", name).out
    assert listed.count("[local-only]") == len(out)
    for told in (desk.run("manifest", "show", name).out, desk.run("manifest", "explain", name).out):
        assert "Checked for openai: " in told
        assert "4 items left out as a whole" in told
        assert CANARY not in told


def test_a_provider_that_may_see_it_gets_it(desk: Desk) -> None:
    answer = planned(desk, "ollama/any")
    assert refused(answer["manifest"]) == {}
    assert {"pin", "memory", "retrieval", "project"} <= {message["kind"] for message in answer["messages"]}
    assert "nothing was withheld" in desk.run("manifest", "show", answer["manifest"]["id"]).out


def test_without_rules_nothing_is_said_of_them(desk: Desk) -> None:
    Path(desk.data, "config.toml").unlink()
    answer = planned(desk, "openai/any")
    assert not any("Checked for" in line for line in answer["explanation"])
