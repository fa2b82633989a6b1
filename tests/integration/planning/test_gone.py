"""A plan of a session whose log is gone, or holds something else now, says so, and what can still be read."""

from pathlib import Path

import pytest

from tests.fakes.desk import Answer, Desk

TEXTS = ("we fixed the retryable queue parser", "the limit is large", "raise it then", "raised")


@pytest.fixture
def log(desk: Desk) -> Path:
    """The log of an indexed session."""
    path = desk.pi("p1", TEXTS)
    desk.ask("index")
    return path


def told(desk: Desk, *words: str) -> tuple[Answer, list[str]]:
    """What a plan prints, and the warnings of the same plan as JSON."""
    planned, data = desk.run("plan", "p1", *words), desk.run("plan", "p1", "--json", *words)
    assert planned.code == data.code == 3
    assert data.json["explanation"][0] == planned.out.splitlines()[0]
    return planned, data.json["manifest"]["warnings"]


@pytest.mark.parametrize("words", [(), ("--no-sync",), ("--at", "e0003"), ("--leaf", "e0001")])
def test_that_the_log_is_gone_is_said_with_what_can_still_be_read(
    desk: Desk, log: Path, words: tuple[str, ...]
) -> None:
    log.unlink()
    planned, warnings = told(desk, *words)
    assert "planned" not in planned.out.splitlines()[0]
    assert "there is nothing to send" in planned.out.splitlines()[0]
    [warning] = [one for one in warnings if "log" in one]
    assert warning in planned.out
    assert "is gone" in warning
    assert "backstory show pi:p1" in warning
    assert TEXTS[0] in desk.run("show", "pi:p1").out
    assert desk.hits("limit", "large")


def test_a_call_of_nothing_has_no_parts_and_no_price(desk: Desk, log: Path) -> None:
    sent = desk.run("plan", "p1").out
    assert "In the call:" in sent
    log.unlink()
    planned, _ = told(desk)
    assert "In the call:" not in planned.out
    assert "costs" not in planned.out


def test_a_request_is_sent_without_a_log(desk: Desk, log: Path) -> None:
    log.unlink()
    planned, warnings = told(desk, "--request", "what was the limit?")
    assert "nothing to send" not in planned.out
    assert any("is gone" in one for one in warnings)


def test_a_log_that_holds_something_else_is_not_called_gone(desk: Desk, log: Path) -> None:
    log.write_bytes(log.read_bytes().replace(b"large", b"small"))
    planned, warnings = told(desk, "--no-sync")
    [warning] = [one for one in warnings if "log" in one]
    assert "as they were indexed" in warning
    assert "gone" not in warning
    assert warning in planned.out


def test_a_log_that_is_whole_brings_no_warning(desk: Desk, log: Path) -> None:
    assert log.exists()
    answer = desk.run("plan", "p1")
    assert answer.code == 0
    assert "log" not in answer.out
