"""What unknown words may have meant."""

import pytest

from backstory.index.extract import words
from backstory.retrieve import inside
from backstory.retrieve.expand import distance, expand, slips
from backstory.store import statistics, vocabulary
from backstory.store.history import History, open_history
from backstory.store.live import Overlay
from backstory.text.parts import camel_parts

ENTRY = """
INSERT INTO entries (id, session, seq, surface, kind, visible, sidechain, chars, size, offset, length, hash)
VALUES (?, 1, ?, 'current', 'prompt', 1, 0, 1, 1, 0, 1, x'00')
"""


def insert(history: History, id_: int, text: str) -> None:
    history.db.execute(ENTRY, (id_, id_))
    history.db.execute("INSERT INTO texts (id, text) VALUES (?, ?)", (id_, text))
    history.db.execute("INSERT INTO literal (rowid, said, parts) VALUES (?, ?, ?)", (id_, text, camel_parts(text)))
    history.db.execute("INSERT INTO words (rowid, said) VALUES (?, ?)", (id_, words(text)))


@pytest.fixture
def history() -> History:
    found = open_history(":memory:")
    found.db.execute("PRAGMA foreign_keys = OFF")
    for at, text in enumerate(
        (
            "parseConfig reads",
            "configuration configurable",
            "retry retries",
            "wombats",
            "we have whatever because gives",
            "RetokenizerPlan untokenized handler makeFooBarBaz rebarter",
        ),
        1,
    ):
        insert(found, at, text)
    return found


def meant_by(history: History, *typed: str) -> list[tuple[str, ...]]:
    docs = statistics.frequencies(history, "literal", [word.lower() for word in typed], 10)
    return [one.words for one in expand(history, docs, " ".join(typed))]


@pytest.mark.parametrize(
    ("token", "meant"),
    [
        ("configurat", ("configuration",)),  # a beginning
        ("parsec", ("parseconfig",)),
        ("retyr", ("retry",)),  # swapped
        ("wmbats", ("wombats",)),  # dropped
        ("wombatss", ("wombats",)),  # doubled
        ("confiqurotion", ("configuration",)),  # two slips
        ("token", ("untokenized", "retokenizerplan")),  # inside, the shortest first
        ("andler", ("handler",)),  # a slip goes before what stands around
        ("keFooBar", ("makefoobarbaz",)),
        ("eFooB", ("makefoobarbaz",)),
        ("eBarte", ("rebarter",)),  # no slip of `barter`, had that been there
    ],
)
def test_unknown_words_get_stand_ins(history: History, token: str, meant: tuple[str, ...]) -> None:
    assert meant_by(history, token) == [meant]


def test_of_words_one_slip_away_the_commonest_comes_first(history: History) -> None:
    for at, text in enumerate(("parrot", "carrot", "carrot", "carrot", "marrot", "marrot"), 100):
        insert(history, at, text)
    assert meant_by(history, "xarrot") == [("carrot", "marrot", "parrot")]
    assert dict(vocabulary.among(history, ["parrot", "carrot", "gone"])) == {"parrot": 1, "carrot": 3}


def test_rows_of_stored_and_of_live_sessions_are_counted_together(history: History) -> None:
    Overlay(history, words)
    history.live = True
    for at in (1, 2):
        history.db.execute("INSERT INTO live_literal (rowid, said) VALUES (?, 'wombats quoll')", (at,))
    assert sorted(vocabulary.starting(history, "wombat", 9)) == [("wombats", 3)]
    assert dict(vocabulary.among(history, ["wombats", "quoll"])) == {"wombats": 3, "quoll": 2}


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


def test_older_names_are_found_by_their_parts(history: History, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inside, "LATEST", 0)
    assert meant_by(history, "keFooBa") == [("makefoobarbaz",)]
    assert meant_by(history, "tokenizerPlan") == [("retokenizerplan",)]
    assert meant_by(history, "token") == []


def test_a_capital_inside_is_no_slip(history: History) -> None:
    history.db.execute("INSERT INTO literal (rowid, said) VALUES (70, 'foobaz')")
    assert meant_by(history, "foobar") == [("foobaz",)]
    assert meant_by(history, "fooBar") == [("makefoobarbaz",)]


def test_names_that_hold_a_piece_as_it_stands_go_before_others(history: History) -> None:
    for id_, word in ((71, "eFooBx"), (72, "efoobyz"), (73, "tEFOOBx")):
        insert(history, id_, word)
    assert meant_by(history, "eFooB") == [("efoobx", "makefoobarbaz")]
    assert meant_by(history, "efoob") == [("efoobx", "efoobyz")]


def test_runs_too_long_to_be_words_are_left_out() -> None:
    assert list(inside.around(f"xpiecey {'a' * 80}piece piece_", "piece")) == ["xpiecey", "piece"]


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
