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
