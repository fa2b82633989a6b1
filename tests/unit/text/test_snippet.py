"""A snippet shows the place that a search found: a name as it stands, else where most of the words are together."""

import random

import pytest

from backstory.text.snippet import snippet

WORDS = ("quokka", "zebra", "lemur", "ibex")
FILL = "so and so on and on "


def test_a_needle_comes_before_any_words() -> None:
    text = f"{FILL * 20}zebra quokka {FILL * 20}src/a.py:12 {FILL * 20}"
    assert "src/a.py:12" in snippet(text, ["src/a.py:12"], ["zebra", "quokka"], 100)
    assert "zebra quokka" in snippet(text, ["src/b.py"], ["zebra", "quokka"], 100)


@pytest.mark.parametrize("seed", range(40))
def test_as_many_different_words_are_shown_as_stand_together_anywhere(seed: int) -> None:
    chance = random.Random(seed)
    # Each shorter than two thirds of a snippet, and farther from the next than those.
    together = [chance.choices(WORDS, k=chance.randint(1, 6)) for _ in range(9)]
    text = (FILL * 5).join(" ".join(words) + " " for words in together)
    shown = snippet(text, [], WORDS, 120)
    assert len(shown) <= 120
    assert sum(word in shown for word in WORDS) == max(len(set(words)) for words in together)


def test_of_equal_places_the_first_is_shown() -> None:
    text = f"{FILL * 5}first quokka zebra {FILL * 9}then quokka zebra {FILL * 5}"
    assert "first quokka zebra" in snippet(text, [], WORDS, 120)


@pytest.mark.parametrize(
    ("stem", "shown"),
    [
        ("retri", "the retry"),
        ("retri", "two retries"),
        ("polici", "a Policy"),
        ("memori", "readMemoryFile"),
        ("server", "an HTTPServer"),
        ("memori", "max_memory_size"),
        ("cafe", "le Café"),
        ("鎖", "資料庫鎖定"),
        ("lock", "資料庫lock"),
    ],
)  # fmt: skip
def test_a_word_is_shown_in_every_form_in_which_the_index_finds_it(stem: str, shown: str) -> None:
    assert shown in snippet(f"{FILL * 20}{shown} {FILL * 20}", [], [stem], 100)


@pytest.mark.parametrize("inside", ["the ministry", "unlocked", "REMEMORIES", "subpolicy"])
def test_what_stands_inside_a_word_is_not_taken_for_it(inside: str) -> None:
    text = f"{FILL * 20}{inside} {FILL * 20}"
    assert snippet(text, [], ["try", "tri", "lock", "memori", "polici"], 100) == snippet(text, [], [], 100)
