"""What a person sees on a real terminal: its width, its colours, and a pager that may not be there."""

import sys

import pytest

from backstory.text.charts import columns
from tests.fakes.desk import Desk

ASKED = ("why did we drop the retry of the worker that delivers hooks to the shop, and what did we lose by it", "well")


@pytest.fixture
def shop(desk: Desk) -> Desk:
    desk.pi("019c8b82-092d-769a-a991-f62e16821206", ASKED)
    desk.pi("019c8b82-1111-769a-a991-f62e16821206", ("漢字とかなの長い題名がここに立ち、" * 9, "はい"))
    desk.run("index")
    return desk


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize(
    "words",
    [
        ("sessions",),
        ("sources",),
        ("plan", "019c8b82-092d"),
        ("manifest", "list"),
        ("context", "status", "019c8b82-092d"),
        ("health",),
        ("storage",),
        ("pi", "doctor"),
        ("memory",),
        ("--help",),
        ("query", "list-sessions"),
    ],
    ids=" ".join,
)
def test_nothing_is_wider_than_the_terminal(shop: Desk, words: tuple[str, ...], width: int) -> None:
    shop.run("plan", "019c8b82-092d")
    shown = shop.terminal(*words, columns=width)
    # A path alone is left whole, so that it can be copied.
    lines = [line for line in shown.splitlines() if " " in line.strip()]
    assert lines
    assert [line for line in lines if columns(line) > width] == []


def test_what_is_left_of_a_session_that_was_cut_names_it(shop: Desk) -> None:
    shop.run("plan", "019c8b82-092d")
    cut = shop.terminal("manifest", "list").split()[-1]
    assert cut.endswith("…")
    assert ASKED[0] in shop.run("show", cut).out


def test_a_terminal_that_does_not_say_its_width_has_80_columns(shop: Desk) -> None:
    lines = shop.terminal("sessions", columns=0).splitlines()
    assert max(map(columns, lines)) == 80


def test_a_width_that_a_person_set_goes_before_that_of_the_terminal(shop: Desk) -> None:
    lines = shop.terminal("sessions", columns=80, env={"COLUMNS": "60"}).splitlines()
    assert max(map(columns, lines)) == 60
    assert shop.terminal("sessions", columns=80, env={"COLUMNS": "wide"}) == shop.terminal("sessions", columns=80)


def test_a_pipe_gets_every_title_whole_whatever_columns_are_set(shop: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    _, *lines = shop.run("sessions").out.splitlines()
    assert len(lines) == 2
    assert any(ASKED[0] in line for line in lines)


def test_what_no_pager_shows_is_printed(shop: Desk) -> None:
    long = ("show", "019c8b82-092d", "--all")
    shop.pi("long", [f"line {number}" for number in range(60)])
    for pager in ("no-such-pager-anywhere", "/dev/null", "false"):
        assert "line 59" in shop.terminal("show", "long", env={"BACKSTORY_PAGER": pager})
    assert "line 59" in shop.terminal("show", "long", env={"BACKSTORY_PAGER": "", "PAGER": "", "PATH": "/nonexistent"})
    assert ASKED[0] in shop.terminal(*long, env={"BACKSTORY_PAGER": "no-such-pager-anywhere"})


def test_a_pager_of_ones_own_is_told_what_less_needs(shop: Desk) -> None:
    shop.pi("long", [f"line {number}" for number in range(60)])
    asks = f"{sys.executable} -c \"import os, sys; sys.stdin.read(); print('LESS is', os.environ.get('LESS'))\""
    assert "LESS is FRX" in shop.terminal("show", "long", env={"BACKSTORY_PAGER": asks})
    assert "LESS is -i" in shop.terminal("show", "long", env={"BACKSTORY_PAGER": asks, "LESS": "-i"})


@pytest.mark.parametrize(
    ("env", "coloured"),
    [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
    ids=["colour", "no colour", "dumb"],
)
def test_colour_is_for_terminals_that_want_it(shop: Desk, env: dict[str, str], coloured: bool) -> None:  # noqa: FBT001
    assert ("\x1b[" in shop.terminal("sessions", env=env)) == coloured
