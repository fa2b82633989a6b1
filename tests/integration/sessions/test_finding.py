"""What is found, in which words, and what never is."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fakes import logs
from tests.fakes.desk import Desk

NEEDLES = (
    "foo_bar",
    "src/a.py:12",
    "--dry-run",
    "E0401",
    "don't",
    "c++",
    "#123",
    ".env",
    "status:500",
    "50%",
    "a@b.c",
    "error-401",
    "parseHTTPRequest",
    "v1.2.3",
    "__init__",
    "std::vector",
    "/etc/hosts",
    "x86_64",
    "ID-77aa-bb",
    "$HOME",
    "obj.method()",
    "key=value",
    "C#",
    "node_modules/.bin",
    "0xDEADBEEF",
    "bd-q3fy",
    "@scope/package",
    "10.0.0.1:8080",
)
NOISE = (
    "foo bar baz in the bar of foo",
    "open src and a py twelve",
    "dry run then",
    "error 401 wrong book or x",
    "do not do it",
    "c and d and e",
    "number 123 of 50",
    "env of status 500",
    "parse the http request",
    "version one two three",
    "init std vector etc hosts",
    "scope package bin node modules",
    "method key value home obj",
    "id 77aa bb 86 64",
)


def test_a_name_as_it_stands_is_found_first(desk: Desk) -> None:
    texts = [text for needle in NEEDLES for text in (f"we looked at {needle} yesterday", *NOISE)]
    desk.pi("p1", texts)
    desk.ask("index")
    missed = []
    for needle in NEEDLES:
        items = desk.hits("--no-sync", "--", needle)
        if not items or needle not in items[0]["snippet"]:
            missed.append(needle)
    assert missed == []


@pytest.mark.parametrize(("typed", "written"), [("c++", "C++"), ("C#", "c#"), (".env", ".ENV")])
def test_a_name_of_one_word_and_signs_is_found_in_the_other_case(desk: Desk, typed: str, written: str) -> None:
    desk.pi("p1", [f"{'nothing in env or c yet ' * 20} port it to {written}", *(f"{text} of c env" for text in NOISE)])
    assert written in desk.hits("--", typed)[0]["snippet"]
    desk.pi("p2", [f"port it to {typed} soon"])
    found = desk.hits("--", typed)
    assert typed in found[0]["snippet"], "as it stands goes before the other case"


SIGNS = ("./...", "=>", "->", "|| ::", '"!=="', "🎉", "**")


@pytest.mark.parametrize("signs", SIGNS)
@pytest.mark.parametrize("mode", ["--entries", "--sessions"])
def test_signs_without_a_word_are_found_as_they_stand(desk: Desk, signs: str, mode: str) -> None:
    bare = signs.strip('"')
    desk.pi("p1", ["nothing of that kind", f"so {bare} it was"])
    desk.claude("c1", ["words alone"])
    found = desk.ask("search", mode, signs)
    assert [hit["session_id"] for hit in found["items"]] == ["p1"]
    assert bare in json.dumps(found["items"], ensure_ascii=False)
    assert found["items"] == desk.ask("search", mode, "--exact", bare)["items"]
    assert desk.ask("search", mode, signs, "agent:claude-code")["items"] == []


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        (("--dry-run",), "e0000"),
        (("rm", "-rf", "build"), "e0001"),
        (("-rf",), "e0001"),
        (("--", "--limit"), "e0002"),
        (("--limit", "3", "--", "-rf"), "e0001"),
        (("-x",), None),
        (("--nonesuch=1",), None),
        (("rm", "--limit", "5", "-rf"), "e0001"),
        (("--", "--limt"), "e0002"),
    ],
)
def test_what_is_no_option_is_searched_for(desk: Desk, words: tuple[str, ...], wanted: str | None) -> None:
    desk.pi("p1", ["run it with --dry-run", "then rm -rf build", "and --limit it"])
    items = desk.hits(*words)
    assert (items[0]["entry_id"] if items else None) == wanted


def test_exact_finds_every_needle_and_nothing_else(desk: Desk) -> None:
    desk.pi("p1", [text for needle in NEEDLES for text in (f"we looked at {needle} yesterday", *NOISE)])
    desk.ask("index")
    for needle in NEEDLES:
        items = desk.hits("--no-sync", "--exact", "--limit", "100", "--", needle)
        assert len(items) == sum(needle in f"we looked at {other} yesterday" for other in NEEDLES), needle


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("call parseHTTPRequest now", "http"),
        ("call parseHTTPRequest now", "parse request"),
        ("the foo_bar_baz function", "bar"),
        ("the foo-bar-baz function", "baz"),
        ("a naïve café owner", "naive cafe"),
        ("a naive cafe owner", "naïve café"),
        ("the résumé parser", "resume"),
        ("修改服务端配置", "服务端"),
        ("修改youer服务端", "youer"),
        ("修改youer服务端", "服务"),
        ("修改youer服务端", "改youer服"),
        ("データベースを更新する", "更新"),
        ("세션 기록을 검색", "검색"),
        ("use go or c or r here", "r"),
        ("the ui of x", "x"),
        ("an ok db", "db"),
        ("running the retries", "retry"),
        ("UPPER CASE WORDS", "upper case"),
        ("Ünïcode straße", "unicode"),
        ("emoji 🚀 launch", "launch"),
    ],
)
def test_words_meet_across_spellings(desk: Desk, text: str, query: str) -> None:
    desk.pi("p1", ["something else entirely", text, "and another thing"])
    assert desk.hits(query)[0]["entry_id"] == "e0001"


def test_tool_results_are_consulted_below_what_people_said(desk: Desk) -> None:
    records = [
        logs.pi_header("p1"),
        logs.pi_entry(0, "please look at the kumquat"),
        logs.pi_result(1, "kumquat " * 40),
        logs.pi_result(2, "only the tool saw the pomelo"),
    ]
    desk.put(desk.pi_folder / "p1.jsonl", logs.lines(records))
    assert [hit["kind"] for hit in desk.hits("kumquat")] == ["prompt", "tool-result"]
    assert [hit["kind"] for hit in desk.hits("pomelo")] == ["tool-result"]


def test_any_of_the_words_counts_and_more_of_them_rank_higher(desk: Desk) -> None:
    desk.pi("p1", ["kumquat alone", "kumquat and pomelo together", "nothing of it"])
    items = desk.hits("kumquat pomelo nonesuchword anotherabsentword")
    assert [hit["entry_id"] for hit in items] == ["e0001", "e0000"]


def test_an_exact_phrase_narrows_and_an_absent_one_says_so(desk: Desk) -> None:
    desk.pi("p1", ["drop the retry loop", "the retry was to drop"])
    assert [hit["entry_id"] for hit in desk.hits('"the retry loop"')] == ["e0000"]
    answer = desk.ask("search", '"drop a retry"')
    assert answer["items"]
    assert answer["warnings"]


def test_only_common_words_are_answered_from_the_newest_with_a_warning(desk: Desk) -> None:
    for part in range(4):
        desk.pi(f"p{part}", [f"please do the thing number {part} {number}" for number in range(1_000)])
    desk.ask("index")
    answer = desk.ask("search", "--no-sync", "do the thing")
    assert answer["items"]
    assert any("common" in warning for warning in answer["warnings"])


def test_words_without_a_topic_are_said_to_be_so_however_small_the_store(desk: Desk) -> None:
    desk.pi("p1", ["the end of the kumquat and of the quince"])
    answer = desk.ask("search", "the of and")
    assert answer["items"]
    assert any("common" in warning for warning in answer["warnings"])
    assert not desk.ask("search", "the kumquat")["warnings"]


FILTERS: tuple[tuple[str, set[str]], ...] = (
    ("kumquat agent:pi", {"p1", "p2"}),
    ("kumquat agent:claude-code", {"c1"}),
    ("kumquat project:orchard", {"p2"}),
    ("kumquat role:assistant", {"p2"}),
    ("kumquat kind:prompt", {"p1", "c1"}),
    ("kumquat after:2026-01-02", set()),
    ("kumquat before:2026-01-02", {"p1", "p2", "c1"}),
    ("kumquat after:2026-01-01T02:00:00+02:00", {"p1", "p2", "c1"}),
    ("kumquat after:2025-12-31T23:00:00-02:00", set()),
    ("kumquat before:2026-01-01T02:00:00.500Z", {"p1", "p2", "c1"}),
    ("kumquat before:2026-01-01T02:00:00+02:00", set()),
    ("kumquat surface:current agent:pi", {"p1", "p2"}),
    ("kumquat role:user role:assistant", {"p1", "p2", "c1"}),
    ("agent:claude-code", {"c1"}),
    ("kumquat project:nonesuch", set()),
    ("kumquat agent:nonesuch", set()),
    ('kumquat project:"orch"', {"p2"}),
)


@pytest.mark.parametrize("mode", ["--entries", "--sessions"])
@pytest.mark.parametrize(("query", "wanted"), FILTERS)
def test_filters_narrow(desk: Desk, mode: str, query: str, wanted: set[str]) -> None:
    desk.pi("p1", ["the kumquat question", "an answer"])
    desk.pi("p2", ["a question", "the kumquat answer"], cwd="/home/ada/orchard")
    desk.claude("c1", ["a kumquat for claude", "fine"])
    assert {hit["session_id"] for hit in desk.hits(mode, query)} == wanted


def test_a_dot_is_the_project_that_one_stands_in(desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shop, other = tmp_path.resolve() / "shop", tmp_path.resolve() / "other"
    for folder in (shop / ".git", shop / "src" / "till", other):
        folder.mkdir(parents=True)
    for name, folder in {"p1": shop, "p2": shop / "src", "p3": other, "p4": other, "p5": tmp_path}.items():
        desk.pi(name, ["the kumquat question"], cwd=str(folder))
    for stand, wanted in ((shop, {"p1", "p2"}), (shop / "src" / "till", {"p1", "p2"}), (other, {"p3", "p4"})):
        monkeypatch.chdir(stand)
        assert {hit["session_id"] for hit in desk.hits("kumquat project:.")} == wanted
        assert {row["session_id"] for row in desk.ask("sessions", "--project", ".")["items"]} == wanted
    for words in (("search", "project:.", "kumquat", "--limit", "1"), ("sessions", "--project", ".", "--limit", "1")):
        monkeypatch.chdir(shop)
        cursor = desk.ask(*words)["next_cursor"]
        assert len(desk.ask(*words, "--cursor", cursor)["items"]) == 1
        monkeypatch.chdir(other)
        assert "INVALID_CURSOR" in desk.run(*words, "--cursor", cursor).err


def test_tool_and_path_filters_narrow(desk: Desk) -> None:
    call = {"type": "toolCall", "id": "c1", "name": "edit", "arguments": {"path": "src/kumquat.py", "text": "kumquat"}}
    record = logs.pi_entry(1, "x", role="assistant")
    record["message"]["content"] = [call]
    desk.put(
        desk.pi_folder / "p1.jsonl", logs.lines([logs.pi_header("p1"), logs.pi_entry(0, "kumquat please"), record])
    )
    assert [hit["entry_id"] for hit in desk.hits("kumquat path:src/kum")] == ["e0001"]
    assert [hit["entry_id"] for hit in desk.hits("kumquat tool:edit")] == ["e0001"]
    assert desk.hits("kumquat tool:bash") == []


def test_a_filter_that_makes_no_sense_is_said_and_left_out(desk: Desk) -> None:
    desk.pi("p1", ["the kumquat question"])
    answer = desk.ask("search", "kumquat kind:nonesuch after:someday")
    assert len(answer["items"]) == 1
    assert len(answer["warnings"]) == 2


def test_exact_looks_inside_words_and_across_punctuation_but_never_across_entries(desk: Desk) -> None:
    desk.pi(
        "p1", ["alpha beta(gamma->delta)", "ends with kum", "quat begins this", "x = {'a': [1, 2]}", "修改youer服务端"]
    )
    found = {
        text: [hit["entry_id"] for hit in desk.hits("--exact", "--", text)]
        for text in (
            "pha be",
            "a(gam",
            "->",
            "ma->del",
            "kumquat",
            "kum\nquat",
            "': [1",
            "lpha",
            "改youer",
            "ouer服",
            "alpha  beta",
        )
    }
    assert found == {
        "pha be": ["e0000"],
        "a(gam": ["e0000"],
        "->": ["e0000"],
        "ma->del": ["e0000"],
        "kumquat": [],
        "kum\nquat": [],
        "': [1": ["e0003"],
        "lpha": ["e0000"],
        "改youer": ["e0004"],
        "ouer服": ["e0004"],
        "alpha  beta": [],
    }


def test_thinking_images_and_state_are_never_found(desk: Desk) -> None:
    assistant = logs.pi_entry(1, "shown", role="assistant")
    assistant["message"]["content"] = [
        {"type": "thinking", "thinking": "hidden kumquat thought", "thinkingSignature": "kumquatsignature"},
        {"type": "image", "data": "a3VtcXVhdA==", "mimeType": "image/png"},
        {"type": "text", "text": "shown"},
    ]
    state = {
        "type": "custom",
        "id": "c1",
        "parentId": "e0001",
        "timestamp": logs.stamp(2),
        "data": {"x": "kumquat state"},
    }
    desk.put(
        desk.pi_folder / "p1.jsonl", logs.lines([logs.pi_header("p1"), logs.pi_entry(0, "start"), assistant, state])
    )
    desk.ask("index")
    assert desk.hits("kumquat") == []
    assert desk.hits("--exact", "kumquat") == []
    stored = b"".join(path.read_bytes() for path in desk.data.rglob("*") if path.is_file())
    assert b"kumquat" not in stored
    assert b"a3VtcXVhdA" not in stored


def test_a_session_in_two_places_counts_once(desk: Desk, tmp_path: Any) -> None:
    path = desk.pi("p1", ["the kumquat question", "the kumquat answer"])
    desk.put(tmp_path / "backup" / "p1.jsonl", path.read_bytes())
    desk.ask("index", "--root", f"pi={tmp_path / 'backup'}")
    assert len(desk.hits("kumquat")) == 2
    assert len(desk.hits("--exact", "kumquat")) == 2
    assert len(desk.hits("--sessions", "kumquat")) == 1
    assert desk.run("show", "p1").code == 0
    rows = {row["path"]: row["copy"] for row in desk.ask("sessions")["items"]}
    assert rows == {str(tmp_path / "backup" / "p1.jsonl"): False, str(path): True}
    assert [line.count("(copy)") for line in desk.run("sessions").out.splitlines()].count(1) == 1


def test_of_two_files_of_a_session_the_shorter_is_the_copy(desk: Desk, tmp_path: Any) -> None:
    path = desk.pi("p1", ["the kumquat question", "the kumquat answer"])
    longer = desk.put(tmp_path / "zoo" / "p1.jsonl", path.read_bytes() + logs.line(logs.pi_entry(2, "and more")))
    desk.ask("index", "--root", f"pi={tmp_path / 'zoo'}")
    rows = {row["path"]: row["copy"] for row in desk.ask("sessions")["items"]}
    assert rows == {str(path): True, str(longer): False}


def test_a_fork_repeats_nothing_in_a_search_and_is_shown_whole(desk: Desk) -> None:
    path = desk.pi("p1", ["the kumquat question", "the kumquat answer"])
    body = path.read_bytes().split(b"\n", 1)[1]
    fork = logs.line(logs.pi_header("f1", parent=str(path))) + body + logs.line(logs.pi_entry(2, "kumquat once more"))
    desk.put(desk.pi_folder / "f1.jsonl", fork)
    found = {(hit["session_id"], hit["entry_id"]) for hit in desk.hits("kumquat")}
    assert found == {("p1", "e0000"), ("p1", "e0001"), ("f1", "e0002")}
    assert len(desk.ask("show", "f1")["entries"]) == 3


def test_text_is_always_valid_and_whole(desk: Desk) -> None:
    odd = "a \ud83d lone half, a \x00 null, a \u2028 line, a \u2029 paragraph, a \u0085 next, kumquat after all"
    record = logs.pi_entry(0, "x")
    record["message"]["content"] = [{"type": "text", "text": odd}]
    desk.put(desk.pi_folder / "p1.jsonl", logs.line(logs.pi_header("p1")) + json.dumps(record).encode() + b"\n")
    hit = desk.hits("kumquat")[0]
    assert "kumquat after all" in hit["snippet"]
    text = desk.ask("show", "p1")["entries"][0]["text"]
    assert "\u2028" in text
    assert "kumquat after all" in text
    assert desk.hits("--exact", "kumquat after all")
    assert desk.run("show", "p1").code == 0


def test_an_entry_written_again_is_found_once_and_one_that_was_changed_as_well(desk: Desk) -> None:
    first, changed = logs.pi_entry(1, "3 of 9 kiwis washed"), logs.pi_entry(1, "4 of 9 kiwis dried!")
    assert len("3 of 9 kiwis washed") == len("4 of 9 kiwis dried!")
    records = [logs.pi_header("p1"), logs.pi_entry(0, "go"), first, changed, first]
    desk.put(desk.pi_folder / "p1.jsonl", logs.lines(records))
    assert [hit["seq"] for hit in desk.hits("washed")] == [1]
    assert [hit["seq"] for hit in desk.hits("dried")] == [2]
    assert sorted(hit["seq"] for hit in desk.hits("kiwis")) == [1, 2]
