"""Whatever a session or an entry is called, every command that takes one can be told which is meant."""

import json
import shlex
from typing import Any

import pytest

from backstory.engine import operations
from backstory.engine.operations import OPERATIONS, Operation
from backstory.surfaces.cli.fields import fields
from tests.fakes import logs
from tests.fakes.desk import Answer, Desk

IDS = ("x", "pi:x", "codex:x", "x…", "pi:x…", "…", "pi:", "-x", "--json", "7", "#7", "x/y", "~", "/x", "x y", "é", "*")
NAMES_NO_SESSION = "SESSION_NOT_FOUND", "SESSION_AMBIGUOUS"
# Long lists of what else a command needs would only say what the command is for.
NEEDED = {"entry": "e0000", "seq": "0", "query": "word", "text": "word", "id": "none", "artifact": "none"}


def takes_session(operation: Operation) -> bool:
    return any(field.name == "session" for field in fields(operations.request_type(operation)))


SESSION_COMMANDS = [operation for operation in OPERATIONS if takes_session(operation)]


@pytest.fixture
def crowd(desk: Desk) -> Desk:
    """A machine with a session for each of these ids, whose first prompt says which it is."""
    for at, id_ in enumerate(IDS):
        desk.put(desk.pi_folder / f"log{at}.jsonl", logs.pi(id_, [f"question number{at}", "an answer"]))
    desk.ask("index")
    assert {one["session_id"] for one in desk.ask("sessions", "--limit", "100")["items"]} == set(IDS)
    return desk


def asked(desk: Desk, operation: Operation, id_: str) -> Answer:
    """The answer of a command about a session."""
    known = fields(operations.request_type(operation))
    words: list[str] = []
    for field in known:
        if field.name == "session":
            words += [id_] if field.positional else []
        elif field.required and field.positional:
            words.append(NEEDED.get(field.name, "word"))
    option = [f"--session={id_}"] if any(field.name == "session" and not field.positional for field in known) else []
    return desk.run(*operation.name.split(), *option, "--json", "--", *words)


def test_the_commands_that_take_a_session_are_found() -> None:
    names = {operation.name for operation in SESSION_COMMANDS}
    assert {"show", "plan", "forget", "query read-session", "memory list", "manifest list"} <= names


@pytest.mark.parametrize("operation", SESSION_COMMANDS, ids=lambda one: one.name)
def test_every_command_finds_every_session_by_its_id(crowd: Desk, operation: Operation) -> None:
    for id_ in IDS:
        answer = asked(crowd, operation, id_)
        assert not any(code in answer.err for code in NAMES_NO_SESSION), (id_, answer.err)
        assert "unrecognized" not in answer.err
        assert "what is missing" not in answer.err


def test_it_is_the_session_of_that_id(crowd: Desk) -> None:
    for at, id_ in enumerate(IDS):
        for words in (("show",), ("query", "read-session")):
            found = crowd.run(*words, "--json", "--", id_).json
            assert found["session"].get("session_id", found["session"].get("id")) == id_
        assert f"number{at}" in crowd.run("show", "--", id_).out
        assert crowd.run("plan", "--json", "--", id_).json["manifest"]["session"] == f"pi:{id_}"
        assert crowd.run("show", "--json", "--", f"pi:{id_}").json["session"]["session_id"] in {id_, f"pi:{id_}"}


def test_what_is_printed_under_a_result_shows_it(crowd: Desk) -> None:
    for at, id_ in enumerate(IDS):
        [place] = [line for line in crowd.run("search", f"number{at}").out.splitlines() if "backstory show" in line]
        answer = crowd.run(*shlex.split(place)[1:])
        assert f"question number{at}" in answer.out, (id_, place, answer.err)


def numbered(ids: list[str]) -> bytes:
    """A Pi session whose entries have these ids, each saying where it stands."""
    records: list[dict[str, Any]] = [logs.pi_header("s1")]
    for at, id_ in enumerate(ids):
        records.append({**logs.pi_entry(at, f"word place{at}", parent=None), "id": id_, "parentId": None})
    return b"".join(json.dumps(one).encode() + b"\n" for one in records)


@pytest.mark.parametrize(
    "ids",
    [
        ["5", "4", "3", "2", "1", "0"],
        ["1", "1", "1", "0", "0"],
        ["1", "#0", "1", "#2", "2", "1"],
        ["2", "#2", "##2", "#0", "##3", "###2"],
        ["-1", "…", "a b", "#"],
    ],
    ids=" ".join,
)
def test_every_entry_is_shown_by_the_command_under_its_result(desk: Desk, ids: list[str]) -> None:
    desk.put(desk.pi_folder / "s1.jsonl", numbered(ids))
    for at in range(len(ids)):
        [place] = [line for line in desk.run("search", f"place{at}").out.splitlines() if "backstory show" in line]
        shown = desk.run(*shlex.split(place)[1:], "--json").json
        assert shown["target"] == at, place


@pytest.mark.parametrize(
    "words", [("show", "--entry"), ("show", "--leaf"), ("plan", "--leaf"), ("plan", "--at")], ids=" ".join
)
def test_every_command_that_takes_an_entry_takes_its_number_where_that_is_an_id(
    desk: Desk, words: tuple[str, str]
) -> None:
    command, option = words
    ids = ["5", "4", "3", "2", "1", "0"]
    desk.put(desk.pi_folder / "s1.jsonl", numbered(ids))
    desk.ask("index")
    for at, id_ in enumerate(ids):
        by_id, by_number = (desk.run(command, "s1", f"{option}={name}", "--json").json for name in (id_, f"#{at}"))
        if command == "plan":
            assert by_number["manifest"]["leaf"] == by_id["manifest"]["leaf"] == id_
        else:
            assert [one["seq"] for one in by_number["entries"]] == [one["seq"] for one in by_id["entries"]]
            assert at in {one["seq"] for one in by_number["entries"]}
            assert option == "--leaf" or by_number["target"] == at


@pytest.mark.parametrize(
    "words",
    [
        ("show", "s1", "--entry={}"),
        ("show", "s1", "--leaf={}"),
        ("plan", "s1", "--leaf={}"),
        ("plan", "s1", "--at={}"),
        ("context", "history", "read", "s1", "{}"),
        ("memory", "add", "s1", "a claim", "--source={}"),
        ("pin", "s1", "a text", "--source={}"),
    ],
    ids=lambda words: " ".join(words[:3]),
)
def test_every_command_that_takes_an_entry_takes_a_beginning_of_its_id(desk: Desk, words: tuple[str, ...]) -> None:
    records = [logs.pi_entry(at, f"word place{at}", parent=on) for at, on in ((1, None), (2, 1), (30, 2))]
    desk.put(desk.pi_folder / "s1.jsonl", logs.lines([logs.pi_header("s1"), *records]))
    desk.ask("index")

    def asked(name: str) -> Answer:
        return desk.run(*(word.format(name) for word in words))

    assert (asked("e9").code, "EVENT_NOT_FOUND" in asked("e9").err) == (2, True)
    several = asked("e00").err
    assert "more than one entry begins with 'e00': e0001, e0002, e0030;" in several
    assert "NAME_AMBIGUOUS" in several
    assert asked("e003").code == 0, asked("e003").err
