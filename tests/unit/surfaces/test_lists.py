"""Lists of sessions and results fit the terminal as long as their titles can give way."""

import io

import pytest

from backstory.records.browsing import SessionRow, SessionsPage
from backstory.records.searching import Hit, SearchPage, SessionHit
from backstory.surfaces.cli.terminal import Terminal
from backstory.surfaces.cli.views import browsing, searching

TITLE = "the worker hands a job out twice while the second connection waits for the lock of the first one, every time"


def terminal(width: int) -> Terminal:
    made = Terminal(io.StringIO(), io.StringIO(), {})
    made.width = width
    return made


def row(id_: str, *, missing: bool = False) -> SessionRow:
    return SessionRow("pi", id_, TITLE, "/home/ada/shop", 0, 0, 7, 0, "main", None, None, missing, "p1.jsonl")


@pytest.mark.parametrize("width", [120, 160])
def test_a_line_of_a_list_fits_where_the_title_can_give_way(width: int) -> None:
    page = SessionsPage(items=(row("0" * 36), row("0" * 36 + "/agent-1", missing=True)), next_cursor=None)
    lines = browsing.sessions(page, terminal(width)).splitlines()
    assert [len(line) <= width for line in lines] == [True, width == 160]
    assert all("  the worker hands a job out" in line and "…" in line for line in lines)


@pytest.mark.parametrize("width", [80, 120])
def test_a_result_names_its_title_on_one_line_or_on_two(width: int) -> None:
    hit = Hit("pi", "p1", "e1", 1, "user", "prompt", 0, "current", TITLE, "/home/ada/shop", "a snippet")
    head = searching.found(SearchPage((hit,), None, partial=False, warnings=()), terminal(width)).split("\n")[0]
    assert len(head) <= width
    assert "…  pi · you" in head
    place = "/home/ada/" + "x" * (width - 60)
    wide = SessionHit("pi", "p1", TITLE, place, None, 0, 7, "main", missing=False, resume=None, best=None)
    head = searching.found(SearchPage((wide,), None, partial=False, warnings=()), terminal(width)).split("\n")[0]
    assert width < len(head) <= 2 * width
