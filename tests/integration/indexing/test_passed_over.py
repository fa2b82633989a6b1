"""Files below an added place that no session was found in: they are counted, and the first of them named."""

from pathlib import Path

import pytest

from tests.fakes import logs
from tests.fakes.desk import Desk


@pytest.mark.parametrize(
    ("name", "data", "reason"),
    [
        ("a.jsonl", b'{"hello": 1}\n', "does not begin as any agent"),
        ("a.jsonl", b"\0\xff", "does not begin as any agent"),
        ("a.jsonl", b"", "empty"),
        ("a.jsonl", b"\n \n", "empty"),
        ("a.json", b"[]", "does not begin as any agent"),
        ("events.jsonl", b'{"type":"session.start","data":{}}\n', "GitHub Copilot CLI is not supported yet"),
    ],
)
def test_a_file_without_a_session_is_named_with_the_reason(
    desk: Desk, tmp_path: Path, name: str, data: bytes, reason: str
) -> None:
    desk.put(tmp_path / "more" / "p1.jsonl", logs.pi("p1", ["the quince is ripe"]))
    other = desk.put(tmp_path / "more" / "deep" / name, data)
    added = desk.run("index", "--root", f"pi={tmp_path / 'more'}")
    assert (added.code, "1 file of the place given passed over; backstory sources" in added.out) == (0, True)
    assert "passed over" not in desk.run("index").out
    told = desk.ask("sources")
    assert (told["passed"], [one["path"] for one in told["passed_over"]]) == (1, [str(other)])
    assert reason in told["passed_over"][0]["reason"]
    shown = desk.run("sources")
    assert (shown.code, "1 file of added places passed over" in shown.out, reason in shown.out) == (0, True, True)
    other.unlink()
    assert desk.ask("sources")["passed"] == 0


def test_a_file_that_was_added_itself_may_have_no_name_of_a_log(desk: Desk, tmp_path: Path) -> None:
    other = desk.put(tmp_path / "log.txt", logs.pi("p1", ["the quince is ripe"]))
    desk.run("index", "--root", f"pi={other}")
    [told] = desk.ask("sources")["passed_over"]
    assert "its name ends in none of .json, .jsonl" in told["reason"]


def test_a_file_that_a_session_was_written_into_later_is_passed_over_no_more(desk: Desk, tmp_path: Path) -> None:
    place = tmp_path / "more" / "p1.jsonl"
    desk.put(place, b"")
    desk.run("index", "--root", f"pi={place.parent}")
    assert desk.ask("sources")["passed"] == 1
    desk.put(place, logs.pi("p1", ["the quince is ripe"]))
    desk.ask("index")
    assert desk.ask("sources")["passed"] == 0


def test_the_file_of_a_forgotten_session_is_called_that(desk: Desk, tmp_path: Path) -> None:
    desk.pi("p1", ["the quince is ripe"])
    desk.ask("index")
    desk.ask("forget", "p1")
    desk.put(tmp_path / "more" / "copy.jsonl", logs.pi("p1", ["the quince is ripe"]))
    desk.run("index", "--root", f"pi={tmp_path / 'more'}")
    [told] = desk.ask("sources")["passed_over"]
    assert told["reason"] == "its session was forgotten"


def test_what_agents_keep_beside_their_sessions_is_not_named(desk: Desk) -> None:
    desk.put(desk.pi_folder / "index.json", b"{}")
    told = desk.ask("sources")
    assert (told["passed"], told["passed_over"]) == (0, [])
    assert "passed over" not in desk.run("sources").out


def test_of_many_files_the_first_are_named_and_all_are_counted(desk: Desk, tmp_path: Path) -> None:
    for number in range(30):
        desk.put(tmp_path / "more" / f"{number:02}.jsonl", b"{}")
    desk.run("index", "--root", f"pi={tmp_path / 'more'}")
    told = desk.ask("sources")
    assert (told["passed"], len(told["passed_over"])) == (30, 20)
    assert "… 10 more" in desk.run("sources").out
