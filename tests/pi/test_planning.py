"""Inside the real Pi: what a model gets is planned, and what is on disk is Pi's alone."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.pi.driver import Conversation, Person
from tests.pi.sessions import long_session, size, sound, text, texts

Make = Callable[..., Person]
BIG = "word " * 2_000
COMPACTED = Path(__file__).parents[1] / "fixtures" / "compactions"


def turns(pi: Conversation, count: int, first: int = 0) -> None:
    """Some turns with a long tool result each."""
    (pi.person.work / "big.md").write_text(BIG, encoding="utf-8")
    for number in range(first, first + count):
        pi.prompt(f"step {number} please", [[("read", {"path": "big.md"})], f"answer {number}"])


def manifests(person: Person) -> list[dict[str, Any]]:
    """The manifests that were kept, the latest first."""
    done = person.backstory("manifest", "list", "--limit", "128", "--json")
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)["items"]
    return found


def test_a_session_outgrows_its_window_and_goes_on(person: Make) -> None:
    somebody = person(window=16_000)
    with somebody.open() as pi:
        pi.do("set_auto_compaction", enabled=False)
        turns(pi, 8)
        assert pi.close() == 0
    requests = somebody.talk.messages()
    assert len(requests) == 16
    assert all(map(sound, requests))
    assert max(map(size, requests)) < 50_000
    assert all(
        f"step {number} please" in texts(request)
        for number in range(8)
        for request in requests[2 * number : 2 * number + 2]
    )
    assert "step 0 please" not in texts(requests[-1])
    said = [entry["message"] for entry in somebody.entries() if entry["type"] == "message"]
    assert sum(message["role"] == "user" for message in said) == 8
    assert (
        len([message for message in said if message["role"] == "toolResult" and BIG[:50] in json.dumps(message)]) == 8
    )
    kept = manifests(somebody)
    assert len(kept) == 16
    assert all(row["actual"] for row in kept[1:])
    assert {row["model"] for row in kept} == {"script/small"}


def test_what_goes_with_the_messages_is_told_apart(person: Make) -> None:
    somebody = person()
    with somebody.open() as pi:
        turns(pi, 1)
        said = pi.command("/context explain")
    made = shown(somebody, manifests(somebody)[0]["id"])
    parts = made["composition"]
    assert {"read", "bash", "edit", "write", "context_history_recall"} <= set(made["tools"])
    assert parts["tool_count"] == len(made["tools"])
    assert parts["tools"] > 1_000
    assert parts["system"] > 100
    assert made["estimated_input"] == parts["system"] + parts["tools"] + parts["messages"]
    assert f"{parts['tool_count']} tools" in said
    assert "system prompt\n" in said
    described = json.dumps(made)
    assert "Read the contents" not in described


def test_small_sessions_are_sent_as_pi_sends_them(person: Make) -> None:
    somebody, other = person(), person(installed=False)
    for one in (somebody, other):
        with one.open() as pi:
            turns(pi, 2)
            pi.close()
    assert somebody.masked(somebody.talk.messages()) == other.masked(other.talk.messages())
    assert somebody.masked(somebody.entries()) == other.masked(other.entries())
    assert len(manifests(somebody)) == 4


def test_branches_are_followed(person: Make) -> None:
    somebody = person()
    somebody.help()
    with somebody.open() as pi:
        pi.prompt("the trunk", ["trunk answer"])
        leaf = somebody.entries()[-1]["id"]
        pi.prompt("the first branch", ["first answer"])
        assert pi.command(f"/go {leaf}") == f"went to {leaf}"
        pi.prompt("the second branch", ["second answer"])
        assert "2 entries" not in pi.command("/context status")
    last = texts(somebody.talk.messages()[-1])
    assert "the trunk" in last
    assert "the second branch" in last
    assert "the first branch" not in last
    [leaf_of_plan] = {manifest["leaf"] for manifest in [shown(somebody, manifests(somebody)[0]["id"])]}
    entries = {entry["id"]: entry for entry in somebody.entries()}
    assert entries[leaf_of_plan]["message"]["content"][0]["text"] == "the second branch"


def shown(person: Person, manifest: str) -> dict[str, Any]:
    """One manifest."""
    found: dict[str, Any] = json.loads(person.backstory("manifest", "show", manifest, "--json").stdout)
    return found


def test_forks_compactions_and_other_models(person: Make) -> None:
    somebody = person(window=16_000)
    with somebody.open() as pi:
        pi.do("set_auto_compaction", enabled=False)
        turns(pi, 4)
        small = len(somebody.talk.messages()[-1])
        pi.do("set_model", provider="script", modelId="large")
        turns(pi, 1, first=4)
        assert len(somebody.talk.messages()[-1]) > small + 4
        switches = [shown(somebody, row["id"])["switch"] for row in manifests(somebody)[:3]]
        assert [one["source"] for one in switches] == ["context", "set", "context"]
        assert [one["switched"] for one in switches] == [False, True, False]
        pi.do("compact")
        turns(pi, 1, first=5)
        assert any("A scripted goal" in one for one in texts(somebody.talk.messages()[-1]))
        fork = pi.do("get_fork_messages")["messages"][-1]["entryId"]
        pi.do("fork", entryId=fork)
        pi.prompt("another way", ["taken"])
        assert "another way" in texts(somebody.talk.messages()[-1])
        assert "step 5 please" not in texts(somebody.talk.messages()[-1])
    assert all(map(sound, somebody.talk.messages()))
    assert len(somebody.logs()) == 2
    assert len({row["session"] for row in manifests(somebody)}) == 2
    assert {row["model"] for row in manifests(somebody)} == {"script/small", "script/large"}


def test_what_a_command_run_by_hand_printed_leaves_room_for_the_turns_before(person: Make) -> None:
    somebody = person(window=16_000)
    with somebody.open() as pi:
        pi.do("set_auto_compaction", enabled=False)
        pi.prompt("remember the blue door", ["it is remembered"])
        pi.do("bash", command="seq -f 'row %g of what was printed' 1 1600")
        pi.prompt("what was printed?", ["rows"])
    [*_, request] = somebody.talk.messages()
    assert sound(request)
    [said] = [one for one in texts(request) if "[DS4 LARGE TOOL OUTPUT OFFLOADED]" in one]
    assert "row 1 of what was printed" in said
    assert "row 1600 of what was printed" in said
    assert len(said) < 12_500
    assert {"remember the blue door", "what was printed?"} <= set(texts(request))
    [printed] = [one["message"] for one in somebody.entries() if one.get("message", {}).get("role") == "bashExecution"]
    assert "row 800 of what was printed" in printed["output"]


def test_a_resumed_session_is_planned_from_its_first_call(person: Make) -> None:
    somebody = person(window=16_000)
    with somebody.open() as pi:
        pi.do("set_auto_compaction", enabled=False)
        turns(pi, 6)
    with somebody.open("-c") as pi:
        pi.do("set_auto_compaction", enabled=False)
        pi.prompt("where were we?", ["there"])
    last = somebody.talk.messages()[-1]
    assert sound(last)
    assert size(last) < 50_000
    assert texts(last)[-1] == "where were we?"
    assert "step 0 please" not in texts(last)
    assert len(somebody.logs()) == 1


def test_print_mode_says_what_the_model_said_and_no_more(person: Make) -> None:
    somebody = person()
    done = somebody.run("what is up?", steps=["all is well"])
    assert (done.stdout, done.stderr) == ("all is well\n", "")
    done = somebody.run("/context status")
    assert done.stdout == ""
    assert "session" in done.stderr
    assert len(manifests(somebody)) == 1


def test_an_old_message_that_is_changed_of_a_sudden_is_planned_as_it_is(person: Make) -> None:
    somebody = person()
    somebody.help()
    somebody.env["HELPER_CONTEXT"] = "shortens"
    with somebody.open() as pi:
        turns(pi, 4)
        assert pi.close() == 0
    requests = somebody.talk.messages()
    assert ["shortened" in texts(request) for request in requests] == [False] * 5 + [True] * 3
    kept = [row["estimated"] for row in reversed(manifests(somebody))]
    assert len(kept) == len(requests) == 8
    assert kept[5] < kept[3] + 200
    assert kept[7] > kept[5] + 2_000


@pytest.mark.parametrize("way", ["adds", "drops", "changes"])
def test_what_other_extensions_do_to_a_request_counts(person: Make, way: str) -> None:
    somebody = person(window=16_000)
    somebody.help()
    somebody.env["HELPER_CONTEXT"] = way
    with somebody.open() as pi:
        pi.do("set_auto_compaction", enabled=False)
        turns(pi, 5)
    requests = somebody.talk.messages()
    assert all(map(sound, requests))
    last = texts(requests[-1])
    if way == "adds":
        assert last.index("a passing remark") < last.index("step 4 please")
    elif way == "drops":
        assert "step 0 please" not in texts(requests[0])
    else:
        assert "said otherwise" in last
        assert "step 4 please" not in last
    assert size(requests[-1]) < 50_000
    assert len(manifests(somebody)) == (9 if way == "drops" else 10)  # of nothing there is no plan


@pytest.mark.parametrize(
    ("name", "entry", "told"),
    [("v1", "a0000005", "1 summary (1 with provenance)"), ("v2", "b0000007", "3 summaries (2 with provenance)")],
)
def test_a_session_that_another_engine_compacted_goes_on(person: Make, name: str, entry: str, told: str) -> None:
    somebody = person()
    log = somebody.root / f"{name}.jsonl"
    log.write_text(
        (COMPACTED / f"{name}.jsonl").read_text(encoding="utf-8").replace("/home/ada/harbour", str(somebody.work)),
        encoding="utf-8",
    )
    with somebody.open("--session", str(log)) as pi:
        pi.prompt("go on", ["gone"])
        assert told in pi.command("/context status")
    sent = texts(somebody.talk.messages()[-1])
    assert any("Book the crane" in one for one in sent)
    assert "Crane 7, says berths.toml." not in sent
    made = shown(somebody, manifests(somebody)[0]["id"])
    assert [one["entry"] for one in made["provenance"]] == [entry]


def test_three_thousand_entries(person: Make) -> None:
    somebody = person()
    log = somebody.root / "01a00000-0000-7000-8000-000000003000.jsonl"
    long_session(log, somebody.work, 3_000)
    with somebody.open("--session", str(log)) as pi:
        pi.do("set_auto_compaction", enabled=False)
        pi.prompt("and file700.py?", [[("context_history_recall", {"query": "file700.py"})], "found it"])
        assert "3,00" in pi.command("/context status")
    first, second = somebody.talk.messages()
    assert sound(first)
    assert sound(second)
    assert len(first) < 1_000
    assert "file700.py" in text(second[-1])
    assert texts(first)[-1] == "and file700.py?"


def test_sessions_without_a_file_leave_nothing_behind(person: Make) -> None:
    somebody = person(window=16_000)
    with somebody.open("--no-session") as pi:
        pi.do("set_auto_compaction", enabled=False)
        turns(pi, 4)
        assert pi.command("/context status")
    assert all(map(sound, somebody.talk.messages()))
    assert manifests(somebody) == []
    for file in (somebody.root / "data").rglob("*"):
        assert not file.is_file() or b"step 1 please" not in file.read_bytes()


def test_observing_only_records(person: Make) -> None:
    somebody, other = person(window=16_000), person(installed=False, window=16_000)
    somebody.env["BACKSTORY_MODE"] = "observe"
    for one in (somebody, other):
        with one.open() as pi:
            pi.do("set_auto_compaction", enabled=False)
            turns(pi, 5)
    assert somebody.masked(somebody.talk.messages()) == other.masked(other.talk.messages())
    assert len(manifests(somebody)) == 10
