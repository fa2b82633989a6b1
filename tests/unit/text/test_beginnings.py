"""What was looked for is marked where it stands: each place once, words as a whole, pieces as they stand."""

from itertools import pairwise

import pytest

from backstory.text.beginnings import matched


def marked(text: str, pieces: list[str], words: list[str]) -> list[str]:
    return [text[start:end] for start, end in matched(text, pieces, words)]


@pytest.mark.parametrize(
    ("text", "pieces", "words", "found"),
    [
        ("The retry retries a Retry", [], ["retri"], ["retry", "retries", "Retry"]),
        ("migrations in migrate.py", [], ["migrat"], ["migrations", "migrate"]),
        ("the database is locked", ["database is locked"], ["databas"], ["database is locked"]),
        ("see src/a.py:12 and src/b.py", ["src/a.py:12"], ["src", "py"], ["src/a.py:12", "src", "py"]),
        ("keFooB in makeFooBar", ["kefoob"], [], ["keFooB", "keFooB"]),
        ("資料庫鎖定", [], ["鎖", "定"], ["鎖", "定"]),
        ("nothing of it", ["", "x"], ["", "zebra"], []),
    ],
)  # fmt: skip
def test_what_was_looked_for_is_found(text: str, pieces: list[str], words: list[str], found: list[str]) -> None:
    assert marked(text, pieces, words) == found


def test_places_are_in_order_and_apart() -> None:
    text = "lock locks the lock of the unlocked locksmith " * 9
    places = matched(text, ["locks the lock", "the lock of"], ["lock", "the"])
    assert places
    assert all(start < end for start, end in places)
    assert all(end <= start for (_, end), (start, _) in pairwise(places))
