"""What is typed behind `/context`: quotes, escapes, options, and text that is kept as it was typed."""

import pytest
from hypothesis import given as examples
from hypothesis import strategies as st

from backstory.engine.host.commands.line import given, words
from backstory.engine.host.commands.table import COMMANDS, find, nearest
from backstory.errors import UsageError


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("", []),
        ("  a   b ", ["a", "b"]),
        ("pin \"two words\" 'and more'", ["pin", "two words", "and more"]),
        ("don't 'stop'", ["don't", "stop"]),
        (r"a\ b \"c", ["a b", '"c']),
        (r'"a \"quoted\" word"', ['a "quoted" word']),
        ("'back\\slash'", ["back\\slash"]),
        ('"never closed', ["never closed"]),
        ("end\\", ["end\\"]),
        ('--reason="two words" x', ["--reason=two words", "x"]),
        ("''", [""]),
    ],
)
def test_a_line_is_cut_into_words_as_a_person_quotes_them(line: str, found: list[str]) -> None:
    assert [word.value for word in words(line)] == found


@examples(st.text(max_size=200))
def test_any_line_can_be_read(line: str) -> None:
    assert all(word.typed in line for word in words(line))


def test_options_stand_anywhere_until_two_dashes() -> None:
    said = given(words("--scope branch keep it --file=a.py -- --not an option"), ("scope", "file"))
    assert said.options == {"scope": "branch", "file": "a.py"}
    assert said.values() == ["keep", "it", "--not", "an", "option"]


@pytest.mark.parametrize("line", ["--colour red", "text --scope"])
def test_an_option_that_is_unknown_or_empty_is_told(line: str) -> None:
    with pytest.raises(UsageError):
        given(words(line), ("scope",))


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('never say "never" again', 'never say "never" again'),
        ('"whole text"', "whole text"),
        ("it's fine", "it's fine"),
    ],
)
def test_text_is_kept_as_it_was_typed(line: str, text: str) -> None:
    assert given(words(line), ()).text() == text


def test_the_longest_name_wins() -> None:
    found = find(["memory", "add", "x"])
    assert found is not None
    assert (found[0].name, found[1]) == ("memory add", 2)
    other = find(["Memory"])
    assert other is not None
    assert other[0].name == "memory"
    assert find(["nothing"]) is None
    assert find([]) is None


@pytest.mark.parametrize(
    ("typed", "near"), [("explian", "explain"), ("pinss", "pins"), ("qality", "quality"), ("xyzzy", None)]
)
def test_a_slip_finds_the_nearest_name(typed: str, near: str | None) -> None:
    assert nearest(typed) == near


def test_names_are_unique() -> None:
    names = [command.name for command in COMMANDS]
    assert len(names) == len(set(names))
