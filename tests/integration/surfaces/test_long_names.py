"""A name that was pasted in full length by mistake is refused in a line that can be read."""

import pytest

from tests.fakes.desk import Desk

LONG = "y" * 50_000


@pytest.mark.parametrize(
    "words",
    [
        ("show", LONG),
        ("show", "p1", "--entry", LONG),
        ("plan", "p1", "--at", LONG),
        ("plan", "p1", "--leaf", LONG),
        ("forget", LONG),
        ("manifest", "show", LONG),
        ("manifest", "list", "--session", LONG),
        ("artifact", "show", LONG),
        ("unpin", "p1", LONG),
        ("memory", "expire", "p1", LONG),
        ("query", "read-session", LONG),
        ("context", "manifest", "p1", LONG),
        ("context", LONG, "p1"),
        (LONG,),
    ],
    ids=lambda words: " ".join("LONG" if word == LONG else word for word in words),
)
def test_a_name_of_any_length_is_refused_in_few_words(desk: Desk, words: tuple[str, ...]) -> None:
    desk.pi("p1", ["the quince is ripe"])
    desk.ask("index")
    told = desk.run(*words)
    assert told.code == 2
    assert "yyy" in told.err
    assert len(told.err) < 1_000


def test_two_places_to_go_on_from_are_refused(desk: Desk) -> None:
    desk.pi("p1", ["the quince is ripe", "so pick it"])
    told = desk.run("plan", "p1", "--at", "e0001", "--leaf", "e0000")
    assert (told.code, "choose --at or --leaf" in told.err) == (2, True)
