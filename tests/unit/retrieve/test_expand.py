"""What unknown words may have meant."""

import pytest

from backstory.index.extract import words
from backstory.retrieve.expand import distance, expand, slips
from backstory.store import search
from backstory.store.history import History, open_history


@pytest.fixture
def history() -> History:
    found = open_history(":memory:")
    for at, text in enumerate(
        (
            "parseConfig reads",
            "configuration configurable",
            "retry retries",
            "wombats",
            "we have whatever because gives",
        ),
        1,
    ):
        found.db.execute("INSERT INTO literal (rowid, said) VALUES (?, ?)", (at, text))
        found.db.execute("INSERT INTO words (rowid, said) VALUES (?, ?)", (at, words(text)))
    return found


def meant_by(history: History, *tokens: str) -> list[tuple[str, ...]]:
    return [one.words for one in expand(history, search.frequencies(history, "literal", tokens, 10))]


@pytest.mark.parametrize(
    ("token", "meant"),
    [
        ("configurat", ("configuration",)),  # a beginning
        ("parsec", ("parseconfig",)),
        ("retyr", ("retry",)),  # swapped
        ("wmbats", ("wombats",)),  # dropped
        ("wombatss", ("wombats",)),  # doubled
        ("confiqurotion", ("configuration",)),  # two slips
    ],
)
def test_unknown_words_get_stand_ins(history: History, token: str, meant: tuple[str, ...]) -> None:
    assert meant_by(history, token) == [meant]


@pytest.mark.parametrize("token", ["retry", "wombat", "rtry1", "rty", "zzzzzzzz"])
def test_known_short_and_hopeless_words_get_none(history: History, token: str) -> None:
    assert meant_by(history, token) == []


@pytest.mark.parametrize("token", ["gave", "what", "becuase", "becuasse", "hav", "give"])
def test_words_of_grammar_stand_in_for_nothing(history: History, token: str) -> None:
    assert meant_by(history, token) == []


@pytest.mark.parametrize("length", [41, 100_000])
def test_long_runs_of_letters_are_no_slips(history: History, length: int) -> None:
    assert meant_by(history, "x" * length) == []


def test_long_queries_are_left_alone(history: History) -> None:
    assert meant_by(history, "retyr", "one", "two", "three", "four") == []


def test_slips_are_one_step_away() -> None:
    found = slips("emu")
    assert {"em", "mu", "eum", "meu", "ema", "eemu", "emus"} <= found
    assert all(distance("emu", other) == 1 for other in found)
    assert "emu" not in found


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [("", "ab", 2), ("ab", "ba", 1), ("abc", "abc", 0), ("kitten", "sitting", 3), ("ca", "abc", 3)],
)
def test_distance_counts_steps(one: str, other: str, steps: int) -> None:
    assert distance(one, other) == distance(other, one) == steps
