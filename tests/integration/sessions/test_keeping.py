"""Sessions over time: naming them, paging through them, losing their files, forgetting and verifying them."""

import os
from pathlib import Path
from typing import Any

import pytest

from backstory.index import look, reconcile, version
from backstory.sources.recognise import recognise
from tests.fakes import logs
from tests.fakes.desk import Desk
from tests.fakes.projection import of_file

ASKED = ("why did we drop the retry", "because it looped")


def test_a_session_is_named_by_id_prefix_or_source(desk: Desk) -> None:
    desk.pi("0199-aaaa", ["pi session"])
    desk.pi("0199-bbbb", ["another pi session"])
    desk.claude("0199-aaaa", ["claude session"])
    desk.ask("index")
    assert desk.ask("show", "0199-b")["session"]["session_id"] == "0199-bbbb"
    assert desk.ask("show", "pi:0199-aaaa")["session"]["source"] == "pi"
    assert desk.ask("show", "claude-code:0199-a")["session"]["source"] == "claude-code"
    for name in ("0199", "0199-aaaa", "pi:0199"):
        answer = desk.run("show", name)
        assert (answer.code, "SESSION_AMBIGUOUS" in answer.err) == (2, True), name
    for name in ("x", "", "pi:", "0199-aaaab", "codex:0199-aaaa", "%", "nonesuch:0199-aaaa"):
        answer = desk.run("show", name)
        assert (answer.code, "SESSION_NOT_FOUND" in answer.err) == (2, True), name


def test_a_whole_id_wins_over_a_longer_one_that_begins_with_it(desk: Desk) -> None:
    desk.pi("abc", ["short"])
    desk.pi("abcdef", ["long"])
    assert desk.ask("show", "abc")["session"]["session_id"] == "abc"


def test_what_a_session_and_its_subagents_begin_with_names_the_session(desk: Desk) -> None:
    folder = desk.claude("5f00-main", ["hand it out"]).parent / "5f00-main" / "subagents"
    for name in ("a1", "a2"):
        rows = [logs.claude_entry("5f00-main", 0, "look around", agentId=name, isSidechain=True)]
        desk.put(folder / f"agent-{name}.jsonl", logs.lines(rows))
    assert len(desk.ask("sessions")["items"]) == 3
    assert desk.ask("show", "5f00")["session"]["session_id"] == "5f00-main"
    assert desk.run("query", "read-session", "5f00", "--json").json["session"]["id"] == "5f00-main"
    assert desk.ask("show", "5f00-main/agent-a2")["session"]["session_id"] == "5f00-main/agent-a2"
    assert "SESSION_AMBIGUOUS" in desk.run("show", "5f00-main/").err
    desk.pi("5f00-other", ["not its subagent"])
    assert "SESSION_AMBIGUOUS" in desk.run("show", "5f00").err


def test_an_entry_is_shown_with_what_stands_around_it(desk: Desk) -> None:
    desk.pi("p1", [f"entry {number}" for number in range(20)])
    shown = desk.ask("show", "p1", "--entry", "e0010", "--before", "2", "--after", "3")
    assert ([one["seq"] for one in shown["entries"]], shown["target"]) == ([8, 9, 10, 11, 12, 13], 10)
    assert [
        one["seq"] for one in desk.ask("show", "p1", "--entry", "0", "--before", "0", "--after", "0")["entries"]
    ] == [0]


def test_a_branch_is_shown_alone(desk: Desk) -> None:
    records = [
        logs.pi_header("p1"),
        logs.pi_entry(0, "root"),
        logs.pi_entry(1, "left", role="assistant"),
        logs.pi_entry(2, "right", role="assistant", parent=0),
    ]
    desk.put(desk.pi_folder / "p1.jsonl", logs.lines(records))
    shown = desk.ask("show", "p1", "--leaf", "e0001")
    assert [one["entry_id"] for one in shown["entries"]] == ["e0000", "e0001"]
    assert set(shown["leaves"]) == {"e0001", "e0002"}


def pages(desk: Desk, *words: str) -> list[list[str]]:
    found, cursor = [], None
    for _ in range(100):
        answer = desk.ask(words[0], *(("--cursor", cursor) if cursor else ()), *words[1:])
        found.append([f"{item['session_id']}/{item.get('entry_id')}" for item in answer["items"]])
        cursor = answer["next_cursor"]
        if cursor is None:
            return found
    raise AssertionError("paging does not end")


@pytest.mark.parametrize(
    "words",
    [
        ("search", "--limit", "7", "quince"),
        ("search", "--limit", "7", "--exact", "quince"),
        ("search", "--limit", "2", "--sessions", "quince"),
        ("search", "--limit", "2", "--sessions", "--exact", "quince"),
        ("sessions", "--limit", "2"),
        ("search", "--limit", "7", "agent:pi"),
    ],
    ids=" ".join,
)
def test_pages_neither_repeat_nor_skip(desk: Desk, words: tuple[str, ...]) -> None:
    for part in range(5):
        desk.pi(f"p{part}", [f"quince {part} {number}" for number in range(9)])
    desk.ask("index")
    size = int(words[2])
    found = pages(desk, *words)
    flat = [name for page in found for name in page]
    assert len(flat) == len(set(flat))
    assert all(len(page) == size for page in found[:-1])
    assert len(flat) == (45 if size == 7 else 5)
    words = (words[0], "--limit", "100", *words[3:])
    assert pages(desk, *words) == [flat]


def test_a_cursor_is_good_for_its_own_question_and_data_only(desk: Desk) -> None:
    desk.pi("p1", [f"quince {number}" for number in range(9)])
    cursor = desk.ask("search", "--limit", "3", "quince")["next_cursor"]

    def code(*words: str) -> str:
        return desk.run(words[0], "--cursor", cursor, *words[1:]).err

    assert code("search", "--limit", "3", "quince") == ""
    for words in (
        ("search", "--limit", "3", "other"),
        ("search", "--limit", "4", "quince"),
        ("search", "--limit", "3", "--exact", "quince"),
        ("search", "--limit", "3", "--sessions", "quince"),
        ("sessions", "--limit", "3"),
    ):
        assert "INVALID_CURSOR" in code(*words), words
    desk.pi("p2", ["quince afresh"])
    assert code("search", "--limit", "3", "quince") == ""
    desk.ask("index")
    assert "STALE_CURSOR" in code("search", "--limit", "3", "quince")
    desk.ask("rebuild")
    assert "INVALID_CURSOR" in code("search", "--limit", "3", "quince")


def test_a_session_is_resumed_only_while_its_file_is_there(desk: Desk) -> None:
    path = desk.pi("p1", ASKED)
    data = path.read_bytes()
    for there in (True, False, True):
        desk.put(path, data) if there else path.unlink()
        hits = [*desk.hits("retry"), *desk.ask("search", "--sessions", "retry")["items"], desk.ask("show", "p1")]
        assert [bool(hit["resume"]) for hit in hits] == [there] * 3
        head = desk.run("show", "p1").out.partition("\n\n")[0]
        assert ("pi --session" in head, f"{path} (source missing)" in head) == (there, not there)
        assert str(path) in head


def test_a_vanished_session_stays_until_it_is_forgotten(desk: Desk) -> None:
    path = desk.pi("p1", ASKED)
    desk.pi("p2", ["the other retry"])
    desk.ask("index")
    data = path.read_bytes()
    path.unlink()
    assert desk.ask("index")["missing"] == 1
    assert {hit["session_id"]: hit["missing"] for hit in desk.hits("retry")} == {"p1": True, "p2": False}
    assert "source missing" in desk.run("search", "retry").out
    assert {row["session_id"]: row["missing"] for row in desk.ask("sessions")["items"]} == {"p1": True, "p2": False}
    desk.put(path, data)
    assert {hit["session_id"]: hit["missing"] for hit in desk.hits("retry")} == {"p1": False, "p2": False}
    path.unlink()
    desk.ask("index")
    assert desk.ask("forget", "--missing")["sessions"] == ["pi:p1"]
    assert {hit["session_id"] for hit in desk.hits("retry")} == {"p2"}
    desk.put(path, data)
    assert {hit["session_id"] for hit in desk.hits("retry")} == {"p1", "p2"}


def test_an_entry_is_shown_among_those_of_a_branch_that_it_lies_on(desk: Desk) -> None:
    turns = [logs.pi_entry(at, "text", parent=parent) for at, parent in enumerate((None, 0, 1, 1))]
    desk.put(desk.pi_folder / "p1.jsonl", logs.lines([logs.pi_header("p1"), *turns]))
    on = desk.ask("show", "p1", "--leaf", "e0003", "--entry", "e0001", "--after", "1")
    assert [entry["entry_id"] for entry in on["entries"]] == ["e0000", "e0001", "e0003"]
    for leaf, entry in (("e0003", "e0002"), ("e0001", "e0002"), ("e0002", "e0003")):
        refused = desk.run("show", "p1", "--leaf", leaf, "--entry", entry)
        assert (refused.code, refused.out) == (2, "")
        assert f"entry '{entry}' does not lie on the branch that ends in '{leaf}'" in refused.err


def test_an_entry_is_shown_from_the_copy_that_holds_it(desk: Desk) -> None:
    path = desk.pi("p1", ASKED)
    longer = desk.pi("p1", [*ASKED, "zebra one", "zebra two"])
    desk.put(path.with_name("z.jsonl"), longer.read_bytes())
    desk.pi("p1", ASKED)
    lines = longer.read_bytes().splitlines(keepends=True)
    desk.put(path.with_name("a.jsonl"), lines[0] + lines[1].replace(b"e0000", b"other"))
    assert len(desk.ask("show", "p1")["entries"]) == 4
    hit = desk.hits("zebra two")[0]
    assert desk.ask("show", "p1", "--entry", hit["entry_id"])["target"] == hit["seq"]
    assert desk.ask("show", "p1", "--leaf", "other")["entries"][0]["entry_id"] == "other"
    assert desk.run("query", "read-event", "p1", str(hit["seq"]), "--json").json["events"][0]["text"] == "zebra two"


def test_a_session_that_vanishes_before_it_is_read_is_no_problem(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    path = desk.pi("p1", ASKED)
    desk.pi("p2", ["the other retry"])

    def late(*given: Any) -> Any:
        path.unlink(missing_ok=True)
        return recognise(*given)

    monkeypatch.setattr("backstory.index.sync.recognise", late)
    assert {hit["session_id"] for hit in desk.hits("retry")} == {"p2"}
    assert desk.ask("search", "retry")["problems"] == []


def test_a_rebuild_drops_what_vanished(desk: Desk) -> None:
    path = desk.pi("p1", ASKED)
    desk.pi("p2", ["the other retry"])
    far = desk.put(desk.home.parent / "far" / "p3.jsonl", logs.pi("p3", ["a retry far away"])).parent
    desk.ask("index", "--root", f"pi={far}")
    path.unlink()
    desk.ask("index", "--drop-root", str(far))
    answer = desk.run("rebuild")
    assert "of the old index, but found in no place now, and so left out: 2 sessions" in answer.out
    assert {hit["session_id"] for hit in desk.hits("retry")} == {"p2"}
    assert desk.ask("rebuild")["dropped"] == 0
    assert "old index" not in desk.run("rebuild").out


def test_a_log_that_is_no_session_any_more_counts_as_vanished(desk: Desk) -> None:
    path = desk.pi("p1", ASKED)
    desk.ask("index")
    desk.put(path, b"")
    assert desk.ask("index")["missing"] == 1
    assert [hit["missing"] for hit in desk.hits("retry")] == [True]
    assert desk.ask("index")["missing"] == 0


def test_a_whole_folder_that_vanishes_takes_nothing_with_it(desk: Desk) -> None:
    desk.pi("p1", ASKED)
    desk.ask("index")
    desk.pi_folder.rename(desk.home / "unplugged")
    assert [hit["missing"] for hit in desk.hits("retry")] == [True]
    (desk.home / "unplugged").rename(desk.pi_folder)
    assert [hit["missing"] for hit in desk.hits("retry")] == [False]


def test_a_forgotten_session_does_not_come_back(desk: Desk, tmp_path: Path) -> None:
    path = desk.pi("p1", ASKED)
    desk.pi("p2", ["the other retry"])
    backup = desk.put(tmp_path / "backup" / "p1.jsonl", path.read_bytes())
    desk.ask("index", "--root", f"pi={tmp_path / 'backup'}")
    assert desk.ask("forget", "p1")["sessions"] == ["pi:p1"]

    def left() -> set[str]:
        return {hit["session_id"] for hit in desk.hits("retry")} | {
            row["session_id"] for row in desk.ask("sessions")["items"]
        }

    assert left() == {"p2"}
    desk.put(path, path.read_bytes() + logs.line(logs.pi_entry(2, "retry once more")))
    assert left() == {"p2"}
    desk.put(desk.pi_folder / "archived" / "p1.jsonl", path.read_bytes())
    assert left() == {"p2"}
    desk.put(backup, path.read_bytes())
    desk.ask("rebuild")
    assert left() == {"p2"}
    assert path.exists()


def test_what_was_forgotten_leaves_no_row_behind(desk: Desk) -> None:
    path = desk.pi("p1", ASKED)
    desk.ask("index")
    empty: dict[str, Any] = {
        "sessions": {},
        "entries": {},
        "texts": {},
        "damage": [],
        "literal": [],
        "words": [],
        "passages": [[], []],
    }
    desk.ask("forget", "p1")
    assert of_file(desk.database) == empty
    assert desk.ask("health")["ok"]
    assert path.exists()


def test_copies_count_again_once_their_original_is_forgotten(desk: Desk) -> None:
    path = desk.pi("p1", ASKED)
    body = path.read_bytes().split(b"\n", 1)[1]
    desk.put(desk.pi_folder / "f1.jsonl", logs.line(logs.pi_header("f1", parent=str(path))) + body)
    assert {hit["session_id"] for hit in desk.hits("retry")} == {"p1"}
    desk.ask("forget", "p1")
    assert {hit["session_id"] for hit in desk.hits("retry")} == {"f1"}


def test_what_only_shares_the_id_of_an_earlier_entry_is_no_copy(desk: Desk) -> None:
    """A record can give a call and its result one id, and a message that grows keeps its id."""
    head = {"sessionId": "g1", "projectHash": "x", "startTime": "2026-01-02T03:04:05.000Z", "kind": "main"}
    call: dict[str, Any] = {"id": "t1", "name": "read_file", "args": {"path": "queue.py"}, "status": "success"}
    call["result"] = [
        {"functionResponse": {"id": "t1", "name": "read_file", "response": {"output": "the marmot sleeps"}}}
    ]
    turn = {
        "id": "m1",
        "timestamp": "2026-01-02T03:04:06.000Z",
        "type": "gemini",
        "content": "I look",
        "toolCalls": [call],
    }
    desk.put(desk.home / ".gemini" / "tmp" / "x" / "chats" / "session-g1.jsonl", logs.lines([head, turn]))
    assert [hit["kind"] for hit in desk.hits("marmot")] == ["tool-result"]
    rows = [logs.pi_header("p1"), logs.pi_entry(0, "a badger"), {**logs.pi_entry(0, "a badger digs"), "parentId": None}]
    desk.put(desk.pi_folder / "p1.jsonl", logs.lines(rows))
    assert {hit["snippet"] for hit in desk.hits("badger")} == {"a badger", "a badger digs"}
    desk.put(desk.pi_folder / "p1.jsonl", logs.lines([*rows, {**rows[1], "parentId": "e0000"}]))
    assert len(desk.hits("badger")) == 2


def rewrite(path: Path, old: bytes, new: bytes) -> None:
    """Changes bytes of a log and leaves its size and times as they were."""
    assert len(old) == len(new)
    before = path.stat()
    data = path.read_bytes()
    assert old in data
    with path.open("r+b") as file:
        file.write(data.replace(old, new))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize(
    ("old", "new"),
    [(b"drop the retry", b"keep the retry"), (b"/home/ada/shop", b"/home/bob/shop"), (b"e0001", b"e0009")],
)
def test_only_verify_sees_an_early_rewrite_that_keeps_size_and_time(desk: Desk, old: bytes, new: bytes) -> None:
    path = desk.pi("p1", ASKED)
    desk.ask("index")
    assert desk.ask("verify")["differences"] == []
    before = of_file(desk.database)
    rewrite(path, old, new)
    desk.ask("index")
    assert of_file(desk.database) == before
    report = desk.ask("verify")
    assert [(one["session_id"], one["path"]) for one in report["differences"]] == [("p1", str(path))]
    assert report["repaired"] == 0
    assert of_file(desk.database) == before
    assert desk.ask("verify", "--repair")["repaired"] == 1
    repaired = of_file(desk.database)
    desk.ask("rebuild")
    assert of_file(desk.database) == repaired
    assert desk.ask("verify")["differences"] == []


def test_verify_is_content_with_a_log_that_only_grew(desk: Desk) -> None:
    path = desk.pi("p1", ASKED)
    desk.ask("index")
    desk.put(path, path.read_bytes() + logs.line(logs.pi_entry(2, "more")))
    assert desk.ask("verify")["differences"] == []


def test_verify_reports_a_file_that_cannot_be_read(desk: Desk) -> None:
    path = desk.pi("p1", ASKED)
    desk.ask("index")
    path.unlink()
    path.mkdir()
    answer = desk.run("verify", "--json")
    assert answer.code == 3
    assert (len(answer.json["problems"]), answer.json["missing"]) == (1, 0)


@pytest.mark.parametrize("known", [False, True], ids=["since the last pass", "marked"])
@pytest.mark.parametrize("kind", ["file", "folder", "file for a folder"])
def test_verify_counts_the_files_that_are_gone(desk: Desk, kind: str, *, known: bool) -> None:
    desk.pi("p1", ASKED)
    desk.claude("c1", ASKED)
    desk.ask("index")
    path = desk.pi_folder / "p1.jsonl"
    path.unlink()
    if kind != "file":
        desk.pi_folder.rmdir()
    if kind == "file for a folder":
        desk.pi_folder.write_text("", encoding="utf-8")
    if known:
        desk.run("index")
    for words in ((), ("--repair",)):
        report = desk.ask("verify", *words)
        assert (report["sessions"], report["missing"], report["problems"], report["repaired"]) == (1, 1, [], 0)
    assert "1 session whose file is gone" in desk.run("verify").out
    assert [hit["session_id"] for hit in desk.hits("retry", "agent:pi")] == ["p1"]


def test_newer_extraction_rules_read_everything_again(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.pi("p1", ASKED)
    desk.ask("index")
    assert desk.ask("index")["sources"][0]["entries"] == 0
    for module in (version, look, reconcile):
        monkeypatch.setattr(module, "VERSION", version.VERSION + (module is version))
    newer = version.VERSION
    for module in (look, reconcile):
        monkeypatch.setattr(module, "VERSION", newer)
    assert desk.ask("index")["sources"][0]["entries"] == 2
    assert desk.ask("index")["sources"][0]["entries"] == 0
    assert {row["extraction"] for row in of_file(desk.database)["sessions"].values()} == {newer}


def test_health_says_when_sessions_wait_for_newer_rules(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.pi("p1", ASKED)
    desk.ask("index")
    monkeypatch.setattr("backstory.engine.upkeep.health.VERSION", version.VERSION + 1)
    health = desk.ask("health")
    assert (health["ok"], health["status"]) == (True, "warn")
    assert {check["name"]: check["status"] for check in health["checks"]}["converged"] == "warn"
