"""Bars, columns and cuts of plain text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backstory.text.charts import bar, bounded, broken, clipped, columns, ending, hung, plain, table


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        (0, 10, "····"), (5, 10, "██··"), (10, 10, "████"), (99, 10, "████"), (1, 1_000, "█···"), (3, 0, "████"),
        (0, 0, "····"),
    ],
)  # fmt: skip
def test_a_bar_shows_a_share_and_never_leaves_its_width(part: float, whole: float, shown: str) -> None:
    assert bar(part, whole, 4) == shown


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    assert table([("a", "1", "x"), ("long", "22")], right=(1,)) == ["  a      1  x", "  long  22"]
    assert table([]) == []


def test_wide_letters_take_two_columns_and_accents_none() -> None:
    assert columns("漢字") == 4
    assert columns("e\u0301") == 1
    assert table([("漢", "x"), ("ab", "y")]) == ["  漢  x", "  ab  y"]


def test_a_text_is_cut_at_its_width_on_one_line() -> None:
    assert clipped("a\nb  c", 10) == "a b c"
    assert clipped("abcdef", 4) == "abc…"
    assert clipped("漢字漢字", 5) == "漢字…"


def test_a_list_says_what_it_leaves_off() -> None:
    assert bounded(["a", "b"], 2) == ["a", "b"]
    assert bounded(["a", "b", "c"], 2) == ["a", "  … 2 more lines"]


def test_nothing_that_steers_a_terminal_is_left() -> None:
    assert plain("a\x1b[2Jb\u202ec\ud800\td\n") == "a\ufffd[2Jb\ufffdc\ufffd\td\n"


def test_signs_that_only_join_or_vary_others_take_no_column() -> None:
    assert columns("\u2714\ufe0f") == 1
    assert columns("a\u200db") == 2


def test_a_path_is_cut_at_its_beginning() -> None:
    assert ending("/home/ada/x.py", 20) == "/home/ada/x.py"
    assert ending("/home/ada/x.py", 7) == "…a/x.py"
    assert columns(ending("漢字漢字", 4)) <= 4


@pytest.mark.parametrize(
    ("line", "width", "shown"),
    [
        ("short", 10, "short"),
        ("ok  name  one two three", 14, "ok  name  one\n    two three"),
        ("ok  name  one two three", 20, "ok  name  one two\n          three"),
        ("  item  one two", 10, "  item\n    one\n    two"),
        ("note: one two three", 10, "note: one\n  two\n  three"),
        ("\x1b[2mok\x1b[0m  one two three", 14, "\x1b[2mok\x1b[0m  one two\n    three"),
        ("see /a/path/that/is/long now", 10, "see\n  /a/path/that/is/long\n  now"),
        ("note: 漢字漢字漢字", 10, "note: 漢字\n  漢字漢字"),
        ("漢字  漢字 漢字 漢字", 14, "漢字  漢字 漢\n      字 漢字"),
    ],
)
def test_a_line_hangs_below_its_last_column(line: str, width: int, shown: str) -> None:
    assert hung(line, width) == shown


TEXTS = st.text("ab12-: \t\u00a0é…\u115f\u1160\u2e7f\u2e80漢\uff61😀\U00020000", min_size=1, max_size=40)


@given(text=TEXTS.filter(lambda text: text == text.rstrip()), width=st.integers(1, 20))
def test_what_else_is_in_a_text_changes_nothing_of_where_its_words_break(text: str, width: int) -> None:
    alone, more = broken(text, width, "  "), broken(f"{text} 漢", width, "  ")
    assert more[: len(alone) - 1] == alone[:-1]
    assert more[len(alone) - 1 :] in ([f"{alone[-1]} 漢"], [alone[-1], "  漢"])


def test_a_day_and_a_time_are_one_word_beside_letters_of_any_kind() -> None:
    for word in ("word", "漢"):
        assert broken(f"{word} 2026-03-09 08:05:00 {word}", 12, "") == [word, "2026-03-09 08:05:00", word]
