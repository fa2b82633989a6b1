"""Whoever excludes a session from a project's memory sees that it is, whether or not a log holds any memory."""

import pytest

from tests.fakes.desk import Desk

TEXTS = ("a question", "an answer")


@pytest.mark.parametrize("reason", ["too old", ""])
def test_an_exclusion_is_listed_where_no_log_holds_memory(desk: Desk, reason: str) -> None:
    desk.pi("p1", TEXTS)
    desk.pi("p2", TEXTS)
    assert desk.run("memory", "exclude", "p1", *reason.split()).code == 0
    found = desk.run("memory", "sources", "p2", "--json").json
    assert found["items"] == []
    assert found["excluded"] == [{"session": "p1", "reason": reason or None}]
    told = desk.run("memory", "sources", "p2").out.splitlines()
    assert told[-1] == f"excluded  p1  no record{': too old' if reason else ''}"
    assert desk.run("memory", "include", "p1").code == 0
    assert desk.run("memory", "sources", "p2", "--json").json["excluded"] == []


def test_exclusions_of_other_projects_are_not_listed(desk: Desk) -> None:
    desk.pi("p1", TEXTS, cwd="/home/ada/other")
    desk.pi("p2", TEXTS)
    desk.run("memory", "exclude", "p1")
    assert desk.run("memory", "sources", "p2", "--json").json["excluded"] == []
    assert len(desk.run("memory", "sources", "p1", "--json").json["excluded"]) == 1


def test_an_excluded_session_can_neither_keep_nor_end_anything_for_its_project(desk: Desk) -> None:
    desk.pi("p1", TEXTS)
    desk.pi("p2", TEXTS)
    desk.run("index")
    made = desk.run("memory", "add", "p2", "the build tool is mise", "--scope", "project", "--json").json["item"]["id"]
    assert desk.run("memory", "exclude", "p1").code == 0
    ledger = desk.data / "canonical" / "ledger.jsonl"
    before = ledger.read_bytes()
    for words in (
        ("memory", "add", "p1", "the cache is on", "--scope", "project"),
        ("pin", "p1", "never touch vendor", "--scope", "project"),
        ("memory", "invalidate", "p1", made),
        ("memory", "supersede", "p1", made, "the build tool is make"),
    ):
        refused = desk.run(*words)
        assert refused.code != 0, words
        assert "does not count" in refused.err
        assert "backstory memory include pi:p1" in refused.err
    assert ledger.read_bytes() == before
    assert desk.run("memory", "add", "p1", "the cache is on").code == 0
    assert desk.run("memory", "include", "p1").code == 0
    assert desk.run("memory", "invalidate", "p1", made).code == 0
