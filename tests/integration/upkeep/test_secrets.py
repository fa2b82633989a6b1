"""Credentials in a log never reach our files, an answer or a line on the terminal."""

import json
from pathlib import Path
from typing import Any

import pytest

from backstory.privacy.secrets import redact
from tests.fakes import logs
from tests.fakes.desk import Desk

# Made up, and built from pieces so that no scanner takes this file for a leak.
KEYS = {
    place: "ghp" + "_" + f"{place.replace('-', ''):x<8}"[:8] + "Zq9Xw8Ev7Ru6Ty5Ui4Oa3Pb2Nc1"
    for place in ("text", "title", "path", "cwd", "input", "label", "result", "model", "custom", "name")
}


def pi_log() -> bytes:
    call = logs.pi_entry(1, "x", role="assistant", model=KEYS["model"], provider="p")
    arguments = {"path": f"src/{KEYS['path']}.py", "body": {"deep": [f"token {KEYS['input']}"]}}
    call["message"]["content"] = [{"type": "toolCall", "id": "c1", "name": KEYS["name"], "arguments": arguments}]
    more: list[dict[str, Any]] = [
        {
            "type": "session_info",
            "id": "t1",
            "parentId": "e0002",
            "timestamp": logs.stamp(3),
            "name": f"about {KEYS['title']}",
        },
        {
            "type": "label",
            "id": "l1",
            "parentId": "t1",
            "timestamp": logs.stamp(4),
            "targetId": "e0000",
            "label": KEYS["label"],
        },
        {
            "type": "custom_message",
            "id": "m1",
            "parentId": "l1",
            "timestamp": logs.stamp(5),
            "customType": "note",
            "content": f"remember {KEYS['custom']}",
            "display": True,
        },
    ]
    return logs.lines(
        [
            logs.pi_header("p1", cwd=f"/home/ada/{KEYS['cwd']}"),
            logs.pi_entry(0, f"use {KEYS['text']} for the kumquat"),
            call,
            logs.pi_result(2, f"done with {KEYS['result']}", call="c1", tool=KEYS["name"]),
            *more,
        ]
    )


def leaks(data: bytes) -> list[str]:
    return [place for place, key in KEYS.items() if key.encode() in data]


@pytest.fixture
def told(desk: Desk) -> Desk:
    desk.put(desk.pi_folder / "p1.jsonl", pi_log())
    return desk


def test_the_planted_keys_are_ones_the_detector_knows() -> None:
    assert all(redact(f"see {key} here")[1] == 1 for key in KEYS.values())


def test_no_file_of_ours_holds_a_key(told: Desk) -> None:
    told.ask("index")
    grown = told.pi_folder / "p1.jsonl"
    told.put(grown, grown.read_bytes() + logs.line(logs.pi_entry(6, f"again {KEYS['text']}")))
    process = told.start("search", "kumquat")
    out, err = process.communicate()
    files = [path for path in told.data.rglob("*") if path.is_file()]
    assert files
    assert {path.name: leaks(path.read_bytes()) for path in files} == {path.name: [] for path in files}
    assert leaks((out + err).encode()) == []


def test_not_even_the_write_ahead_log_holds_a_key(told: Desk) -> None:
    from backstory.engine.indexing import index  # noqa: PLC0415
    from backstory.engine.open import open_engine  # noqa: PLC0415
    from backstory.records.indexing import IndexRequest  # noqa: PLC0415

    with open_engine(told.data, env=told.env()) as engine:
        index.index(engine, IndexRequest())
        wal = Path(f"{told.database}-wal").read_bytes()
        assert len(wal) > 4096
        assert leaks(wal) == []


@pytest.mark.parametrize(
    "words",
    [
        ("search", "kumquat"),
        ("search", "--sessions", "kumquat"),
        ("search", "--exact", "redacted"),
        ("sessions",),
        ("show", "p1"),
        ("show", "p1", "--all"),
        ("sources",),
        ("search", "agent:pi"),
        ("verify",),
        ("index",),
    ],
    ids=" ".join,
)
def test_no_answer_holds_a_key(told: Desk, words: tuple[str, ...]) -> None:
    for answer in (told.run(*words), told.run(words[0], "--json", *words[1:])):
        assert answer.code == 0
        assert leaks((answer.out + answer.err).encode()) == []


def test_what_was_redacted_is_found_by_what_stands_around_it(told: Desk) -> None:
    assert "[redacted:github]" in told.hits("kumquat")[0]["snippet"]
    assert told.hits("--exact", KEYS["text"]) == []
    assert told.hits(KEYS["text"]) == []


def test_a_log_that_grows_goes_on_as_a_clean_build_would(told: Desk) -> None:
    told.ask("index")
    path = told.pi_folder / "p1.jsonl"
    told.put(path, path.read_bytes() + logs.line(logs.pi_result(6, "late answer", call="c1", tool=KEYS["name"])))
    told.ask("index")
    grown = told.ask("show", "p1", "--all")
    told.ask("rebuild")
    assert told.ask("show", "p1", "--all") == grown


def test_keys_of_other_agents_fields_stay_out(desk: Desk) -> None:
    record = logs.claude_entry("c1", 0, f"plain {KEYS['text']}", gitBranch=KEYS["label"])
    record["cwd"] = f"/home/ada/{KEYS['cwd']}"
    summary = {"type": "summary", "summary": f"about {KEYS['title']}", "leafUuid": "c1-0"}
    tool = logs.claude_entry("c1", 1, "x", role="assistant")
    tool["message"]["content"] = [
        {
            "type": "tool_use",
            "id": "t1",
            "name": "Edit",
            "input": {"file_path": f"/x/{KEYS['path']}", "new": KEYS["input"]},
        }
    ]
    desk.put(desk.claude_folder / "c1.jsonl", logs.lines([summary, record, tool]))
    desk.ask("index")
    assert leaks(json.dumps([desk.ask("show", "c1", "--all"), desk.ask("sessions")]).encode()) == []
    assert leaks(b"".join(path.read_bytes() for path in desk.data.rglob("*") if path.is_file())) == []
