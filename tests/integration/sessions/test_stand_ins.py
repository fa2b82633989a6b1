"""What is shown when a query holds a word that no entry holds."""

import pytest

from tests.fakes.desk import Desk

LEAD = "the weather was fine and so was everything else about that long and quiet day " * 4


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("retokeniz", "retokenizer"),
        ("retokenzier", "retokenizer"),
        ("tokeniz", "retokenizer"),
        ("keFooB", "makeFooBar"),
    ],
)
def test_snippets_show_the_word_that_was_found_instead(desk: Desk, typed: str, meant: str) -> None:
    desk.pi("s1", [f"{LEAD}the retokenizer", "nothing", f"{LEAD}the makeFooBar"])
    [hit, *_] = desk.ask("search", typed)["items"]
    [session] = desk.ask("search", "--sessions", "--no-sync", typed)["items"]
    queried = desk.run("query", "search-events", "--json", "--mode", "relevance", "--no-sync", typed)
    assert queried.code == 0, queried.err
    assert all(meant in shown for shown in (hit["snippet"], session["best"]["snippet"], queried.out))


def test_what_a_person_typed_comes_first_where_one_word_is_asked_for(desk: Desk) -> None:
    desk.claude("s1", ["how is the quince", "the quince is fine", "and the pear", "no pear"])
    kinds = [hit["kind"] for hit in desk.ask("search", "quince")["items"]]
    assert kinds == ["prompt", "message"]
    assert desk.ask("search", "--no-sync", "quinec")["items"][0]["kind"] == "prompt"
