"""A tool result that holds all of a few rare words stands before entries that hold some of them."""

import pytest

from tests.fakes import logs
from tests.fakes.desk import Desk

SESSIONS = 12


@pytest.fixture
def filled(desk: Desk) -> Desk:
    for number in range(SESSIONS):
        word = ("quince", "medlar", "sorb")[number % 3]
        desk.pi(f"s{number}", [f"about the {word} and number {number}", f"the {word} is what you want"])
    answer = [
        logs.pi_header("tool"),
        logs.pi_entry(0, "list them"),
        logs.pi_result(1, "sorb, then quince, then medlar"),
    ]
    desk.put(desk.pi_folder / "tool.jsonl", logs.lines(answer))
    return desk


def sessions(desk: Desk, query: str) -> tuple[list[str], list[str]]:
    entries = [hit["session_id"] for hit in desk.ask("search", "--no-sync", query)["items"]]
    return entries, [hit["session_id"] for hit in desk.ask("search", "--no-sync", "--sessions", query)["items"]]


def test_a_result_with_all_words_comes_first(filled: Desk) -> None:
    filled.ask("index")
    for query in ("quince medlar sorb", "medlar the sorb", "quince sorb"):
        entries, found = sessions(filled, query)
        assert (entries[0], found[0]) == ("tool", "tool")


def test_it_does_not_where_it_has_one_of_the_words_or_an_entry_has_all(filled: Desk) -> None:
    filled.pi("all", ["where does the quince, the sorb, the medlar grow"])
    filled.ask("index")
    for query in ("quince medlar sorb", "quince", "quince pear"):
        entries, found = sessions(filled, query)
        assert "tool" in entries
        assert entries[0] != "tool"
        assert found[0] != "tool"
