"""What people read in a terminal: the same answers as `--json`, in words."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import logs
from tests.fakes.desk import Desk

LARGE = "".join(f"row {number} of the report\n" for number in range(1_500)) + "needle here\n"


@pytest.fixture
def shop(desk: Desk) -> Desk:
    """A session with a tool result too large for a call, and a short one of the same project."""
    call = {"type": "toolCall", "id": "call-1", "name": "bash", "arguments": {"command": "make report"}}
    answer: Any = logs.pi_entry(1, "reading", role="assistant")
    answer["message"]["content"].append(call)
    records = [
        logs.pi_header("p1"),
        logs.pi_entry(0, "please make the report"),
        answer,
        logs.pi_result(2, LARGE),
        logs.pi_entry(3, "it has 1500 rows", role="assistant"),
        logs.pi_entry(4, "where is the needle?"),
    ]
    desk.put(desk.pi_folder / "p1.jsonl", logs.lines(records))
    desk.pi("p2", ["which port is it", "8080"])
    return desk


def seen(desk: Desk, *words: str) -> str:
    """What a command that must succeed prints."""
    answer = desk.run(*words)
    assert (answer.code, answer.err) == (0, ""), words
    return answer.out


def test_a_plan_and_its_manifest(shop: Desk) -> None:
    told = seen(shop, "plan", "p1", "--budget", "4000")
    assert "In the call:" in told
    first = told.rsplit("manifest ", 1)[1].strip()
    shown = seen(shop, "manifest", "show", first)
    assert shown.startswith(f"{first}  pi:p1  ")
    assert "request  #4: the current request and what followed it" in shown
    assert "tokens estimated by" in shown
    assert "In the call:" in seen(shop, "manifest", "explain", first)
    assert "request  #4" in seen(shop, "manifest", "included", first)
    assert seen(shop, "manifest", "excluded", first) == "Nothing.\n"
    listed = seen(shop, "manifest", "list")
    assert listed.startswith(first[:12])
    assert "planned" in listed
    asked = seen(shop, "plan", "p1", "--request", "how many rows").rsplit("manifest ", 1)[1].strip()
    assert "request  new: the current request" in seen(shop, "manifest", "included", asked)


def test_a_phrase_that_nobody_said_is_told_from_words(shop: Desk) -> None:
    for command in ("search-events", "search-sessions"):
        told = seen(shop, "query", command, "rows", "1500")
        assert told.startswith("Nothing found.\nnote: the words were looked for as one phrase")
        assert seen(shop, "query", command, "absent") == "Nothing found.\nnote: no event holds this\n"
        assert "one phrase" not in seen(shop, "query", command, "1500", "rows")
        assert "one phrase" not in seen(shop, "query", command, "rows", "1500", "--mode", "relevance")


def test_a_window_that_nobody_knows_is_told_once(desk: Desk) -> None:
    desk.claude("c1", ["which port is it", "8080", "and the host?"])
    told = "is not known; 200,000 tokens are assumed; --window says it, or models in the settings"
    assert seen(desk, "plan", "c1").count(told) == 1
    [newest] = desk.run("manifest", "list", "--json").json["items"]
    assert [told in one for one in desk.run("manifest", "show", newest["id"], "--json").json["warnings"]] == [True]
    for words in (("manifest", "explain", newest["id"]), ("context", "explain", "c1")):
        assert seen(desk, *words).count(told) == 1
    assert "a window of 200,000 tokens, which is assumed\n" in seen(desk, "context", "model", "c1")
    assert "a window of 50,000 tokens\n" in seen(desk, "context", "model", "c1", "--window", "50000")


def test_two_plans_side_by_side(shop: Desk) -> None:
    wide, narrow = (
        seen(shop, "plan", "p1", "--budget", budget).rsplit("manifest ", 1)[1].strip() for budget in ("4000", "60")
    )
    told = seen(shop, "plan", "diff", wide, narrow)
    assert "tokens fewer" in told
    assert "Only in the first:" in told
    assert "- " in told
    assert "tokens more; " in seen(shop, "plan", "diff", narrow, wide)
    same = seen(shop, "plan", "diff", wide, wide)
    assert "The second call has 0 tokens more" in same
    assert "Both begin with the same" in same
    assert "stayed out" not in seen(shop, "manifest", "excluded", narrow)


def test_a_large_result_is_shown_under_the_name_of_its_call(shop: Desk) -> None:
    seen(shop, "plan", "p1", "--budget", "8000")
    made = shop.ask("plan", "p1", "--budget", "8000")["manifest"]["artifacts"]
    [name] = [one["id"] for one in made]
    assert f"{name[:12]}  bash #2 of p1 (33.4 kB)" in seen(shop, "artifact", "show", name)
    assert "row 7 of the report" in seen(shop, "artifact", "show", name)
    found = seen(shop, "artifact", "search", name, "needle")
    assert ": 1 match\n" in found
    assert "needle here" in found
    assert ": 1,500 matches\n" in seen(shop, "artifact", "search", name, "of the report")
    assert seen(shop, "artifact", "search", name, "nothing like it").endswith(": 0 matches\nNot found.\n")
    assert seen(shop, "artifact", "verify") == "kept tool results: 1 whole, 0 missing, 0 damaged\n"
    for file in (shop.data / "derived" / "artifacts").rglob("*"):
        if file.is_file():
            file.unlink()
    told = shop.run("artifact", "verify").out
    assert f"missing {name}" in told
    assert "--repair makes them again" in told
    assert "1 made again from their logs" in seen(shop, "artifact", "verify", "--repair")


def test_pins_and_memories(shop: Desk) -> None:
    assert seen(shop, "pins", "p1") == "Nothing is kept.\n"
    assert "session never touch it" in seen(shop, "pin", "p1", "never touch it")
    assert seen(shop, "pin", "p1", "never touch it").startswith("kept already\n")
    assert "session p1, told to Backstory" in seen(shop, "pins", "p1")
    added = seen(shop, "memory", "add", "p1", "the port is 8080", "--key", "port")
    assert "[port] the port is 8080" in added
    name = added.split()[0]
    assert "the port is 9090" in seen(shop, "memory", "supersede", "p1", name, "the port is 9090")
    assert "(superseded by " in seen(shop, "memory", "list", "p1", "--all")
    newer = shop.run("memory", "list", "p1", "--json").json["items"][0]["id"]
    ended = seen(shop, "memory", "invalidate", "p1", newer, "--reason", "it moved")
    assert "(invalid: it moved)" in ended


def test_what_was_kept_is_told_as_a_list_tells_it(shop: Desk) -> None:
    for list_of, words in {"pins": ("pin", "p1", "a"), "memory list": ("memory", "add", "p1", "b")}.items():
        told = seen(shop, *words, "--classification", "local-only")
        assert "told to Backstory, local-only" in told
        assert told == seen(shop, *list_of.split(), "p1")


def test_logs_that_memory_comes_from(shop: Desk) -> None:
    told = seen(shop, "memory", "sources", "p1")
    assert "not trusted, so what a session's log keeps for the project counts there alone" in told
    assert "No session log of this project holds memory." in told
    assert seen(shop, "memory", "exclude", "p2", "noise").startswith("What p2 keeps for ")
    assert seen(shop, "memory", "exclude", "p2", "noise").endswith("does not count (as before).\n")
    assert seen(shop, "memory", "include", "p2").endswith("counts.\n")


def test_what_plans_keep_of_long_sessions(desk: Desk) -> None:
    desk.pi("short", ["hello", "hi"])
    assert "No session is long enough to measure" in seen(desk, "eval", "retention")
    records = [logs.pi_header("long")]
    texts = [f"please look at src/part_{number}.py and its limit of {1000 + number}" for number in range(40)]
    for number, text in enumerate(texts):
        records.append(logs.pi_entry(2 * number, text))
        answer: Any = logs.pi_entry(2 * number + 1, f"part_{number} " + "hay and straw " * 400, role="assistant")
        old = f"src/part_{number if number < 31 else number - 30}.py"
        answer["message"]["content"].append(
            {"type": "toolCall", "id": f"c{number}", "name": "read", "arguments": {"path": old}}
        )
        records.append(answer)
    desk.put(desk.pi_folder / "long.jsonl", logs.lines(records))
    told = seen(desk, "eval", "retention", "long", "--budget", "8000")
    assert "in 1 session; card and excerpts may use" in told
    assert "8,000 tokens: " in told
    lines = {line[2:28].strip(): line[28:].split() for line in told.splitlines() if line.startswith("  ")}
    assert float(lines["tail"][0]) == 0.0
    assert float(lines["tail, card and excerpts"][0]) > 0.5
    points = desk.run("eval", "retention", "long", "--budget", "8000", "--json").json["points"]
    assert f"{points} requests in 1 session" in told
    assert told.rstrip().splitlines()[-1].startswith("kept: share of these values; ")


def test_a_manifest_in_words_holds_what_its_json_holds(shop: Desk, tmp_path: Path) -> None:
    answer = shop.ask("plan", "p1", "--budget", "4000")
    (tmp_path / "answer.json").write_text(json.dumps(answer), encoding="utf-8")
    shown = seen(shop, "manifest", "show", answer["manifest"]["id"])
    assert answer["manifest"]["included"]
    for line in answer["manifest"]["included"]:
        assert f"{line['tokens']:>8,}  " in shown


def test_an_entry_without_text_says_so(desk: Desk) -> None:
    model = {"type": "model_change", "id": "m1", "parentId": "e0000", "timestamp": logs.stamp(3), "provider": "p"}
    desk.put(desk.pi_folder / "p.jsonl", logs.lines([logs.pi_header("p"), logs.pi_entry(0, "hello emu"), model]))
    assert "(no text)" in seen(desk, "show", "p", "--entry", "m1")
    assert "(no text)" not in seen(desk, "show", "p")


def test_an_entry_of_blanks_says_that_it_has_no_text(desk: Desk) -> None:
    desk.pi("p", ["hello emu", "\n\n", "and?"])
    assert "#1 message · 2026-01-01 00:01\n    (no text)\n" in seen(desk, "show", "p")
