"""Two files with one session id: what is asked by that id is refused where they differ, and answered by the file."""

from pathlib import Path

import pytest

from tests.fakes import logs
from tests.integration.conftest import Desk


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


def test_a_log_forgotten_by_its_file_goes_alone(two: tuple[Desk, Path, Path]) -> None:
    desk, first, second = two
    desk.ask("forget", str(first))
    assert not desk.hits("retry")
    assert desk.hits("zebra")
    with second.open("ab") as file:
        file.write(logs.line(logs.pi_entry(9, "and bears quinces")))
    assert desk.hits("quinces")
    desk.ask("forget", "p1")
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
    assert desk.run("show", "p1").code == 0
