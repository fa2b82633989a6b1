"""Entries and sessions of one score keep their order however an answer is cut into pages."""

from typing import Any

import pytest

from tests.fakes.desk import Desk

SAME = ("alpha beta", "alpha beta", "gamma", "alpha beta")
SESSIONS = 9
MODES = ("--entries", "--sessions")


def all_pages(desk: Desk, limit: int, *words: str) -> list[Any]:
    items: list[Any] = []
    cursor: list[str] = []
    while True:
        answer = desk.ask("search", "--no-sync", "--limit", str(limit), *cursor, *words)
        items += answer["items"]
        if not answer["next_cursor"]:
            return items
        cursor = ["--cursor", answer["next_cursor"]]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "query",
    ["alpha beta", "alpha_beta gamma", "beta kind:prompt", "gamma", "was anything said of alpha beside the beta"],
)
def test_small_pages_make_up_the_large_one(desk: Desk, query: str, mode: str) -> None:
    for number in range(SESSIONS):
        desk.pi(f"s{number}", SAME)
    desk.ask("index")
    whole = all_pages(desk, 100, mode, "--", query)
    assert len(whole) >= SESSIONS
    for limit in (1, 4, 7):
        assert all_pages(desk, limit, mode, "--", query) == whole
