"""Two files with one session id: what is asked by that id is refused where they differ, and answered by the file."""

import json
import shlex
from pathlib import Path

import pytest

from backstory import open_engine
from backstory.engine.sessions import handles
from backstory.store import browse
from tests.fakes import logs
from tests.fakes.desk import Desk


@pytest.fixture
def two(desk: Desk, tmp_path: Path) -> tuple[Desk, Path, Path]:
    """A machine with different sessions of one id in two folders."""
    first = desk.pi("p1", ["why did we drop the retry", "because it looped"])
    second = desk.put(tmp_path / "elsewhere" / "p1.jsonl", logs.lines([
        logs.pi_header("p1"), logs.pi_entry(7, "plant the zebra", parent=None), logs.pi_entry(8, "it grows"),
    ]))  # fmt: skip
    assert desk.run("index", "--root", f"pi={second.parent}").code == 0
    return desk, first, second


@pytest.mark.parametrize("words", [("show",), ("query", "read-session"), ("plan",)], ids=" ".join)
def test_a_name_for_different_logs_is_refused(two: tuple[Desk, Path, Path], words: tuple[str, ...]) -> None:
    desk, *paths = two
    for name in ("p1", "pi:p1"):
        refused = desk.run(*words, name)
        assert (refused.code, "SESSION_AMBIGUOUS" in refused.err) == (2, True)
        assert all(str(path) in " ".join(refused.err.split()) for path in paths)
        assert "the path of its file" in " ".join(refused.err.split())
    for path in paths:
        assert desk.run(*words, str(path)).code == 0


def test_a_file_may_be_named_from_where_one_stands(
    two: tuple[Desk, Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, first, second = two
    monkeypatch.chdir(second.parent)
    for name in ("./p1.jsonl", "pi:./p1.jsonl"):
        assert desk.ask("show", name)["session"]["path"] == str(second)
        assert desk.run("query", "read-session", name, "--json").json["session"]["path"] == str(second)
    desk.ask("forget", "./p1.jsonl")
    assert desk.ask("show", "p1")["session"]["path"] == str(first)


def test_an_entry_that_only_one_log_has_tells_which_is_meant(two: tuple[Desk, Path, Path]) -> None:
    desk, _, second = two
    assert desk.ask("show", "p1", "--entry", "e0007")["session"]["path"] == str(second)
    assert desk.run("show", "p1", "--entry", "0").code == 2


def test_a_search_result_names_its_file(two: tuple[Desk, Path, Path]) -> None:
    desk, first, second = two
    assert {hit["path"] for word in ("retry", "zebra") for hit in desk.hits(word)} == {str(first), str(second)}
    [session] = desk.ask("search", "zebra", "--sessions")["items"]
    assert (session["path"], session["best"]["path"]) == (str(second), str(second))
    place = next(line for line in desk.run("search", "zebra").out.splitlines() if "backstory show" in line)
    assert "plant the zebra" in desk.run(*place.split()[1:]).out


def shown(desk: Desk, *words: str) -> str:
    """What the command shows that stands under the one result of a search, run as it is printed."""
    [place] = [line for line in desk.run("search", *words).out.splitlines() if "backstory show" in line]
    answer = desk.run(*shlex.split(place)[1:])
    assert answer.code == 0, answer.err
    return answer.out


@pytest.mark.parametrize("kind", [(), ("--sessions",)], ids=["entries", "sessions"])
def test_what_is_printed_under_a_result_shows_it_where_logs_share_ids_and_numbers(
    desk: Desk, tmp_path: Path, kind: tuple[str, ...]
) -> None:
    desk.pi("p1", ["why did we drop the retry", "because it looped"])
    other = desk.put(tmp_path / "other folder" / "p1.jsonl", logs.pi("p1", ["plant the zebra", "it grows"]))
    desk.put(tmp_path / "claude" / "p1.jsonl", logs.claude("p1", ["feed the quagga"]))
    desk.run("index", "--root", f"pi={other.parent}", "--root", f"claude-code={tmp_path / 'claude'}")
    assert "plant the zebra" in shown(desk, "zebra", *kind)
    assert "drop the retry" in shown(desk, "retry", *kind)
    assert "feed the quagga" in shown(desk, "quagga", *kind)
    names = {desk.ask("search", word)["items"][0]["name"] for word in ("zebra", "retry", "quagga")}
    assert names == {str(other), str(desk.pi_folder / "p1.jsonl"), "claude-code:p1"}


def test_an_answer_that_differs_in_one_of_two_logs_is_shown_from_its_own(desk: Desk, tmp_path: Path) -> None:
    desk.pi("p1", ["why did we drop the retry", "because it looped", "so", "and more"])
    desk.put(tmp_path / "p1.jsonl", logs.pi("p1", ["why did we drop the retry", "for the zebra"]))
    desk.run("index", "--root", f"pi={tmp_path / 'p1.jsonl'}")
    assert "zebra" in shown(desk, "zebra")
    assert "looped" in shown(desk, "looped")


def test_a_copy_is_named_by_its_id(desk: Desk, tmp_path: Path) -> None:
    texts = ["why did we drop the retry", "because it looped"]
    desk.pi("p1", texts)
    desk.put(tmp_path / "p1.jsonl", logs.pi("p1", texts))
    desk.run("index", "--root", f"pi={tmp_path / 'p1.jsonl'}")
    assert {hit["name"] for hit in desk.hits("retry", "looped")} == {"p1"}


def test_of_several_entries_of_one_id_the_earlier_ones_are_named_by_number(desk: Desk) -> None:
    entries = [logs.pi_entry(1, "why did we drop the retry"), logs.pi_entry(1, "because it looped", parent=None)]
    desk.put(desk.pi_folder / "p1.jsonl", logs.lines([logs.pi_header("p1"), *entries]))
    desk.run("index")
    assert "drop the retry" in shown(desk, "retry")
    assert "it looped" in shown(desk, "looped")


def test_an_id_of_digits_comes_before_a_number_whether_its_entry_has_text_or_not(desk: Desk) -> None:
    state = {"type": "thinking_level_change", "thinkingLevel": "high", "parentId": None, "timestamp": logs.stamp(1)}
    entries = [
        {**logs.pi_entry(0, "why did we drop the retry"), "id": "3"}, {**state, "id": "2"},
        logs.pi_entry(2, "because it looped"), {**logs.pi_entry(2, "so it quinced"), "type": "custom_message"},
        {**logs.pi_entry(2, "and bore plums"), "id": "1"},
    ]  # fmt: skip
    del entries[2]["id"]
    desk.put(desk.pi_folder / "p1.jsonl", logs.lines([logs.pi_header("p1"), *entries]))
    desk.run("index")
    seqs = {}
    for name in ("1", "2", "3", "#1", "#2", "#3", "0"):
        at = desk.ask("show", "p1", "--entry", name, "--before", "0", "--after", "0")["entries"]
        seqs[name] = [entry["seq"] for entry in at]
    assert seqs == {"1": [4], "2": [1], "3": [0], "#1": [1], "#2": [2], "#3": [3], "0": [0]}
    printed = {"retry": "3", "looped": "'#2'", "plums": "1"}
    for word, name in printed.items():
        assert f"show p1 --entry {name}\n" in desk.run("search", word).out


def test_ids_that_look_like_options_are_shown_by_what_is_printed(desk: Desk) -> None:
    entries = [{**logs.pi_entry(1, "why did we drop the retry"), "id": "--all"}, logs.pi_entry(2, "because it looped")]
    for name in ("-p1", "p2"):
        desk.put(desk.pi_folder / f"{name}.jsonl", logs.lines([logs.pi_header(name), *entries]))
        desk.run("index")
        for kind in ((), ("--sessions",)):
            assert "drop the retry" in shown(desk, "retry", *kind)
            assert "it looped" in shown(desk, "looped", *kind)
        desk.ask("forget", "--", name)


def test_a_log_forgotten_by_its_file_goes_alone(two: tuple[Desk, Path, Path]) -> None:
    desk, first, second = two
    desk.ask("forget", str(first))
    assert not desk.hits("retry")
    assert desk.hits("zebra")
    with second.open("ab") as file:
        file.write(logs.line(logs.pi_entry(9, "and bears quinces")))
    assert desk.hits("quinces")
    desk.ask("forget", "p1")
    noted = [json.loads(line) for line in (desk.data / "canonical" / "ledger.jsonl").read_text("utf-8").splitlines()]
    assert [one.get("session") for one in noted if one["type"] == "session-forget"] == [None, "p1"]
    assert not desk.hits("zebra")
    assert desk.ask("sessions")["items"] == []


@pytest.mark.parametrize("texts", [["plant the zebra"], ["plant the zebra", "it grows", "and grows"]])
def test_logs_whose_entries_only_count_are_told_apart_by_what_was_typed(
    desk: Desk, tmp_path: Path, texts: list[str]
) -> None:
    desk.pi("p1", ["why did we drop the retry", "because it looped"])
    entries = [logs.pi_entry(at, text) for at, text in enumerate(texts)]
    desk.put(tmp_path / "elsewhere" / "p1.jsonl", logs.lines([logs.pi_header("p1"), *entries]))
    desk.run("index", "--root", f"pi={tmp_path / 'elsewhere'}")
    assert "SESSION_AMBIGUOUS" in desk.run("show", "p1").err


def test_a_copy_that_stopped_earlier_is_the_same_session(desk: Desk, tmp_path: Path) -> None:
    first = desk.pi("p1", ["why did we drop the retry", "because it looped", "so it does"])
    lines = first.read_bytes().splitlines(keepends=True)
    desk.put(tmp_path / "elsewhere" / "p1.jsonl", b"".join(lines[:-1]))
    desk.run("index", "--root", f"pi={tmp_path / 'elsewhere'}")
    assert len(desk.ask("sessions", "--no-sync")["items"]) == 2
    assert desk.run("show", "p1").code == 0


def named(desk: Desk) -> dict[str, str]:
    """By the file of each session what it is called where only a session was found, no entry."""
    with open_engine(desk.data, env=desk.env()) as engine:
        keys = [key for id_ in ("p1", "p2") for key, _ in browse.named(engine.history, id_, None)]
        rows = browse.by_keys(engine.history, keys)
        return {row.path: handles.of_session(engine, key, row) for key, row in rows.items()}


def test_a_session_alone_is_called_by_what_leads_to_it(two: tuple[Desk, Path, Path], tmp_path: Path) -> None:
    desk, first, second = two
    other = desk.claude("p1", ["another agent took the same id"])
    alone = desk.pi("p2", ["nobody else is called that"])
    copy = desk.put(tmp_path / "elsewhere" / "p2.jsonl", alone.read_bytes())
    desk.ask("index")
    by_file = {first: str(first), second: str(second), other: "claude-code:p1", alone: "p2", copy: "p2"}
    assert named(desk) == {str(path): name for path, name in by_file.items()}
