"""A command whose standard output was closed by its caller ends without a traceback."""

import os

import pytest

from tests.fakes.desk import Desk


@pytest.mark.parametrize("words", [("search", "ripe"), ("--version",), ("rpc",)], ids=" ".join)
def test_closed_output_is_no_accident(desk: Desk, words: tuple[str, ...]) -> None:
    desk.pi("p1", ["the quince is ripe"])
    answer = desk.spawn(*words, preexec_fn=lambda: os.close(1))
    assert "Traceback" not in answer.err
    assert len(answer.err.splitlines()) == answer.code == (words == ("rpc",))


def test_closed_errors_are_no_accident(desk: Desk) -> None:
    assert desk.spawn("sessions", "--nothing", preexec_fn=lambda: os.close(2)).code == 2
