"""Where a match stands in a text, and the piece cut around it."""

import pytest

from backstory.text.locate import locate, lowered, spread, stretch, unaccented
from backstory.text.snippet import around, snippet


@pytest.mark.parametrize(
    ("text", "tokens", "at"),
    [
        ("foobar foo", ["foo"], 7),
        ("a Foo-Bar b", ["foo", "bar"], 2),
        ("foo_bar", ["bar"], 4),
        ("Äpfel, ÉMÜ", ["emu"], 7),
        ("x 全文搜索", ["搜", "索"], 4),
        ("ab全文", ["全"], 2),
        ("foo\n\n(bar)", ["foo", "bar"], 0),
        ("foo x bar", ["foo", "bar"], None),
        ("foo", [], None),
    ],
)
def test_the_first_match_is_located(text: str, tokens: list[str], at: int | None) -> None:
    assert locate(text, tokens) == at


def test_a_text_that_fits_is_whole() -> None:
    assert around(" a \n b ", 3, 3) == "a b"


@pytest.mark.parametrize(
    ("at", "expected"), [(0, "0123456789a…"), (20, "…ghijklmnop…"), (35, "…pqrstuvwxyz"), (26, "…mnopqrstuv…")]
)
def test_a_piece_starts_a_third_before_the_match(at: int, expected: str) -> None:
    assert around("0123456789abcdefghijklmnopqrstuvwxyz", at, 12) == expected


def test_blanks_before_the_match_are_collapsed() -> None:
    text = "a   b " * 20 + "emu" + " tail" * 20
    piece = around(text, text.index("emu"), 30)
    assert len(piece) == 30
    assert piece.index("emu") == 11


def test_a_tiny_bound_is_kept() -> None:
    assert around("long text", 5, 1) == "…"


@pytest.mark.parametrize("text", ["ABC", "ÄÖ", "İİ Error", "ẞ"])
def test_in_lower_case_every_letter_keeps_its_place(text: str) -> None:
    lower = lowered(text)
    assert [low for low, letter in zip(lower, text, strict=True) if low not in {letter.lower(), letter}] == []
    assert lower.replace("İ", "").islower()


def test_places_of_a_text_keep_their_distance() -> None:
    assert list(spread("ab ab ab ab", "ab", 0)) == [0, 3, 6, 9]
    assert list(spread("ab ab ab ab", "ab", 1)) == [0, 3, 6, 9]
    assert list(spread("ab ab ab ab", "ab", 2)) == [0, 6]
    assert list(spread("ab", "x", 0)) == []


def test_a_snippet_begins_and_ends_with_whole_words() -> None:
    text = " ".join(f"word{number:04}" for number in range(100))
    found = snippet(text, ["word0050"], [], 60)
    assert found == "…word0048 word0049 word0050 word0051 word0052 word0053…"
    assert snippet(text, ["word0000"], [], 60) == "word0000 word0001 word0002 word0003 word0004 word0005…"


def test_a_snippet_of_one_long_word_is_cut_inside_it() -> None:
    found = snippet("x" * 300 + "needle" + "y" * 300, ["needle"], [], 60)
    assert len(found) == 60
    assert found.startswith("…xxx")
    assert "needle" in found
    assert found.endswith("yyy…")


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("Überraschung", "uberraschung"),
        ("ΟΔΟΣ Οδός", "οδοσ οδοσ"),
        ("İstanbul", "istanbul"),
        ("a → b │ c", "a → b │ c"),
        ("".join(map(chr, range(0xE0, 0xFF))), "aaaaaaæceeeeiiiiðnooooo÷øuuuuyþ"),
    ],
)
def test_letters_lose_their_accents_in_place(text: str, plain: str) -> None:
    assert unaccented(text) == plain
    assert len(unaccented(text)) == len(text)


@pytest.mark.parametrize(
    ("text", "reach", "shown"),
    [
        ("one\ntwo needle three\nfour", 100, "one\ntwo needle three\nfour"),
        ("one\ntwo needle three\nfour", 7, "two needle three"),
        ("one\ntwo needle three\nfour", 4, "two needle thr"),
        ("one\ntwo needle three\nfour", 2, "o needle t"),
        ("first\nneedle\nlast", 1, "needle"),
        ("needle", 0, "needle"),
        ("long needle line", 3, "ng needle li"),
    ],
)
def test_a_stretch_holds_whole_lines_where_it_can(text: str, reach: int, shown: str) -> None:
    at = text.index("needle")
    assert stretch(text, at, at + len("needle"), reach) == shown
