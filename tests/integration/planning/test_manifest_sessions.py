"""Planned calls are listed of any session that has some, be it indexed or not."""

import pytest

from tests.fakes.desk import Desk


@pytest.mark.parametrize("name", ["p1", "pi:p1", "p", "pi:p", "p1…"])
def test_the_calls_of_a_session_that_is_not_indexed_any_more_are_listed(desk: Desk, name: str) -> None:
    desk.pi("p1", ["the quince is ripe"])
    made = desk.ask("plan", "p1")["manifest"]["id"]
    desk.ask("forget", "p1")
    assert [one["id"] for one in desk.run("manifest", "list", "--session", name, "--json").json["items"]] == [made]


def test_a_name_that_neither_an_index_nor_a_call_knows_is_refused_as_that(desk: Desk) -> None:
    desk.pi("p1", ["the quince is ripe"])
    desk.ask("plan", "p1")
    told = desk.run("manifest", "list", "--session", "q")
    assert (told.code, told.out) == (2, "")
    assert "no session that is indexed, and none of a planned call, is called 'q'" in told.err


def test_a_session_without_a_planned_call_is_told_from_an_index_without_any(desk: Desk) -> None:
    desk.pi("p1", ["the quince is ripe"])
    desk.pi("p2", ["the quince is not ripe"])
    desk.ask("index")
    assert desk.run("manifest", "list", "--session", "p2").out == "No call of pi:p2 has been planned yet.\n"
    assert desk.run("manifest", "list").out == "No call has been planned yet.\n"


def test_what_calls_of_several_sessions_begin_with_is_refused_with_their_names(desk: Desk) -> None:
    for name in ("p1", "p2"):
        desk.pi(name, [f"the quince of {name} is ripe"])
        desk.ask("plan", name)
        desk.ask("forget", name)
    told = desk.run("manifest", "list", "--session", "p").err
    assert "'p' names 2 sessions: pi:p1, pi:p2" in told
