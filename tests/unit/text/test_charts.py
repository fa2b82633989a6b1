"""Bars, columns and cuts of plain text."""

import pytest

from backstory.text.charts import bar, bounded, clipped, columns, plain, table


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [(0, 10, "····"), (5, 10, "██··"), (10, 10, "████"), (99, 10, "████"), (1, 1_000, "█···"), (3, 0, "····")],
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
