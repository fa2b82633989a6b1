"""Sessions that another engine compacted: what its entries tell is shown, traced, and said of calls that hold them."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.desk import Desk

FIXTURES = Path(__file__).parents[2] / "fixtures" / "compactions"


@pytest.fixture
def logs(desk: Desk) -> Path:
    """Both sessions where Pi keeps its own."""
    folder = desk.pi_folder / "--home-ada-harbour--"
    folder.mkdir(parents=True)
    for name in ("v1", "v2"):
        shutil.copy(FIXTURES / f"{name}.jsonl", folder / f"2026-11-02T08-00-00-000Z_harbour-{name}.jsonl")
    return folder


def summaries(desk: Desk, session: str) -> dict[str, Any]:
    shown = desk.ask("show", session)
    return {one["entry_id"]: one["details"] for one in shown["entries"] if one["kind"] == "summary"}


def test_shown_sessions_say_where_their_summaries_come_from(desk: Desk, logs: Path) -> None:
    assert logs.exists()
    [first] = summaries(desk, "harbour-v1").values()
    assert first["provenance"]["sources"] == ["a0000001", "a0000002"]
    second = summaries(desk, "harbour-v2")
    assert second["b0000007"]["provenance"]["kind"] == "aggregate"
    assert second["b0000009"]["read"] == ["cranes.md"]
    told = desk.run("show", "harbour-v2").out
    assert "aggregate summary-aggregate-1, level 1: made from 4 entries through 2 summaries" in told
    assert "checked, with doubts: unsupported-exact-spans-unquoted; 1 summary beside it" in told
    assert "Book crane 7 for Monday" not in told.split("summary-aggregate-1")[1].split("tell the pilot")[0]


def test_a_trace_leads_from_a_summary_to_what_it_stands_for(desk: Desk, logs: Path) -> None:
    assert logs.exists()
    nodes = {one["entry_id"]: one["seq"] for one in desk.ask("show", "harbour-v2", "--all")["entries"]}
    traced = desk.run("query", "trace-event", "--json", "harbour-v2", str(nodes["b0000007"])).json
    assert traced["sources"] == [nodes[one] for one in ("b0000001", "b0000002", "b0000004", "b0000005")]
    assert traced["details"]["provenance"]["id"] == "summary-aggregate-1"
    back = desk.run("query", "trace-event", "--json", "harbour-v2", str(nodes["b0000001"])).json
    assert back["derived"] == [nodes["b0000003"], nodes["b0000007"]]
    assert "made from" in desk.run("query", "trace-event", "harbour-v2", str(nodes["b0000007"])).out


def test_a_call_that_holds_a_summary_says_how_far_it_was_checked(desk: Desk, logs: Path) -> None:
    assert logs.exists()
    made = desk.ask("plan", "harbour-v2")["manifest"]
    assert [one["entry"] for one in made["provenance"]] == ["b0000007"]
    [known] = made["provenance"]
    assert (known["sources"], known["status"], known["version"]) == (4, "warning", 2)
    told = desk.run("manifest", "explain", made["id"]).out
    assert "The summary b0000007 stands for 4 entries; checked, with doubts when it was made." in told
    assert "3 summaries (2 with provenance)" in desk.run("context", "status", "harbour-v2").out


def test_what_is_not_understood_is_counted_and_spoils_nothing(desk: Desk, logs: Path) -> None:
    [log] = logs.glob("*v2.jsonl")
    rows = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    for row in rows:
        if row["id"] == "b0000007":
            row["details"]["ds4ContextEngine"]["schemaVersion"] = 9
    log.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    told = desk.run("context", "status", "harbour-v2").out
    assert "3 summaries (1 with provenance, 1 with provenance that is not understood)" in told
    assert "its version is not known" in desk.run("show", "harbour-v2").out
    made = desk.ask("plan", "harbour-v2")["manifest"]
    assert made["provenance"] == []
    assert made["summaries"]


def test_a_level_that_a_summary_is_wrapped_in_holds_for_all_of_it(desk: Desk, logs: Path) -> None:
    assert logs.exists()
    desk.data.mkdir(exist_ok=True)
    (desk.data / "config.toml").write_text("[privacy]\nenabled = true\n", encoding="utf-8")
    planned = desk.ask("plan", "harbour-v2", "--model", "openai/gpt-5")
    assert "tell the pilot" not in json.dumps(planned["messages"])
    open_ = desk.ask("plan", "harbour-v1", "--model", "openai/gpt-5")
    assert "Book the crane" in json.dumps(open_["messages"])


def test_credentials_in_the_details_of_a_summary_are_not_shown(desk: Desk, logs: Path) -> None:
    secret = "ghp_" + "A1b2C3d4E5" * 4
    path = logs / "2026-11-02T08-00-00-000Z_harbour-v2.jsonl"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"cranes.md"', json.dumps(f"notes \u202e {secret}")), encoding="utf-8")
    assert summaries(desk, "harbour-v2")["b0000009"]["read"] == ["notes \u202e [redacted:github]"]
    told = desk.run("show", "harbour-v2", "--all").out
    assert secret not in told
    assert "notes \ufffd [redacted:github]" in told
