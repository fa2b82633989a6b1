"""Times, sizes and counts as people read them."""

import pytest

from backstory.text import wording

DAY = 86_400_000


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1_000, "1.0 kB"),
        (1_449, "1.4 kB"),
        (1_000_000, "1.0 MB"),
        (2_500_000_000, "2.5 GB"),
    ],
)
def test_a_size_has_the_largest_unit_that_it_fills(count: int, told: str) -> None:
    assert wording.size(count) == told


@pytest.mark.parametrize(
    ("count", "noun", "told"),
    [
        (0, "session", "0 sessions"),
        (1, "entry", "1 entry"),
        (2, "entry", "2 entries"),
        (2, "match", "2 matches"),
        (12_345, "file", "12,345 files"),
    ],
)
def test_a_count_has_its_noun_in_the_right_number(count: int, noun: str, told: str) -> None:
    assert wording.counted(count, noun) == told


@pytest.mark.parametrize(
    ("time", "told"),
    [
        (0, "1970-01-01 00:00"),
        (-1, "1969-12-31 23:59"),
        (20_000 * DAY + 59_999, "2024-10-04 00:00"),
        (-62_135_596_800_000, "0001-01-01 00:00"),
        (253_402_300_799_999, "9999-12-31 23:59"),
        (None, wording.UNDATED),
        (10**18, wording.UNDATED),
        (-(10**18), wording.UNDATED),
    ],
)
def test_a_time_that_no_calendar_has_is_no_date(time: int | None, told: str) -> None:
    assert wording.when(time) == told
    assert wording.begun(time) == (told if told == wording.UNDATED else f"begun {told}")


def test_a_path_takes_one_line() -> None:
    assert wording.path_name("/a\nb\r/c d") == "/a\\nb\\r/c d"
