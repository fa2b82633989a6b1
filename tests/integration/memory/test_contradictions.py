"""A memory may say otherwise than one of another scope; whoever keeps it, or looks at what is kept, is told."""

from pathlib import Path

import pytest

from backstory.engine.open import Engine
from tests.fakes.desk import Desk
from tests.fakes.host import FakeHost

PROJECT = "the build tool is mise"


@pytest.fixture
def shop(desk: Desk) -> Desk:
    """A session whose project holds a memory."""
    desk.pi("p1", ["which build tool?", "mise"])
    desk.run("memory", "add", "p1", PROJECT, "--scope", "project")
    return desk


def test_a_session_may_contradict_its_project_and_is_told(shop: Desk) -> None:
    [first] = shop.run("memory", "list", "p1", "--json").json["items"]
    answer = shop.run("memory", "add", "p1", "the build tool is make")
    assert answer.code == 0
    assert f"note: {first['id'][:12]}, kept for the project, says otherwise: {PROJECT}" in answer.out
    listed = shop.run("memory", "list", "p1", "--json").json
    assert len(listed["items"]) == 2
    [told] = listed["warnings"]
    assert told == f"{listed['items'][1]['id'][:12]} says otherwise than {first['id'][:12]}, and both are in force"
    assert told in shop.run("memory", "list", "p1").out
    assert told in shop.run("context", "memory", "p1").out


def test_a_project_may_contradict_a_session(shop: Desk) -> None:
    shop.run("memory", "add", "p1", "the cache is enabled")
    answer = shop.run("memory", "add", "p1", "the cache is disabled", "--scope", "project", "--json").json
    [told] = answer["warnings"]
    assert told.endswith(", kept for this session, says otherwise: the cache is enabled")


@pytest.mark.parametrize("command", [("memory", "add", "p1"), ("context", "memory", "add", "p1")], ids=" ".join)
def test_the_same_said_again_is_told_again(shop: Desk, command: tuple[str, ...]) -> None:
    for _ in range(2):
        assert f"kept for the project, says otherwise: {PROJECT}" in shop.run(*command, "the build tool is make").out


def test_what_replaces_a_memory_is_held_against_the_others(shop: Desk) -> None:
    made = shop.run("memory", "add", "p1", "the build tool is mise", "--json").json
    assert made["warnings"] == []
    newer = shop.run("memory", "supersede", "p1", made["item"]["id"], "the build tool is make", "--json").json
    assert [told.endswith(PROJECT) for told in newer["warnings"]] == [True]


def test_what_agrees_or_ended_is_no_contradiction(shop: Desk) -> None:
    assert shop.run("memory", "add", "p1", "the test runner is pytest", "--json").json["warnings"] == []
    [first, _] = shop.run("memory", "list", "p1", "--json").json["items"]
    shop.run("memory", "expire", "p1", first["id"])
    assert shop.run("memory", "add", "p1", "the build tool is make", "--json").json["warnings"] == []
    assert shop.run("memory", "list", "p1", "--all", "--json").json["warnings"] == []


def test_the_question_before_a_proposal_is_kept_shows_what_it_contradicts(engine: Engine, tmp_path: Path) -> None:
    host = FakeHost(engine, tmp_path)
    host.say("we build with mise here, but try make in this session")
    host.say("I will", "assistant")
    host.answers = [True, True]
    host.tool("context_persistence", action="memory_add", content=PROJECT, scope="project")
    said = host.tool("context_persistence", action="memory_add", content="the build tool is make")
    first, second = host.asked
    assert "although" not in first.message
    assert f"although this is kept in every session of this project:\n\n  | {PROJECT}" in second.message
    assert PROJECT not in said.text


def test_who_contradicts_a_memory_of_the_same_place_reads_what_it_says(shop: Desk) -> None:
    [first] = shop.run("memory", "list", "p1", "--json").json["items"]
    answer = shop.run("memory", "add", "p1", "the build tool is make", "--scope", "project")
    told = (
        f"it contradicts {first['id']}, which has to be superseded instead; {first['id'][:12]} says: {PROJECT} [USAGE]"
    )
    assert (answer.code, answer.err) == (2, f"backstory: {told}\n")
    shop.run("memory", "add", "p1", "the cache is enabled")
    assert "says: the cache is enabled" in shop.run("context", "memory", "add", "p1", "the cache is disabled").err


def test_a_model_does_not_read_what_it_contradicts(engine: Engine, tmp_path: Path) -> None:
    host = FakeHost(engine, tmp_path)
    host.say("we build with mise, keep that to yourself")
    host.say("I will", "assistant")
    host.answers = [True]
    host.tool("context_persistence", action="memory_add", content="the build tool is mise")
    said = host.tool("context_persistence", action="memory_add", content="the build tool is make")
    assert "it contradicts" in said.text
    assert "mise" not in said.text
