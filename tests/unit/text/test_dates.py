"""Dates are known by how people write them, and nothing else passes for one."""

from datetime import UTC, datetime

import pytest

from backstory.text.dates import LONGEST, MOST, Date, share, taken


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("what did we drop on October 13, 2025?", [Date(2025, 10, 13)]),
        ("on 13 October 2025", [Date(2025, 10, 13)]),
        ("the 13th of october", [Date(0, 10, 13)]),
        ("as of 8th December, 2023 and December 1,2023", [Date(2023, 12, 8), Date(2023, 12, 1)]),
        ("between August 11 and Aug. 15 2023", [Date(0, 8, 11), Date(2023, 8, 15)]),
        ("Sept 2024", [Date(2024, 9)]),
        ("on January 05, 2026", [Date(2026, 1, 5)]),
        ("(2026-01-31), '2026-02'; 2026-03!", [Date(2026, 1, 31), Date(2026, 2), Date(2026, 3)]),
        ("in the second week of November", [Date(0, 11)]),
        ("what was decided in May, or early in March", [Date(0, 5), Date(0, 3)]),
        ("who broke it in mid-july", [Date(0, 7)]),
        ("2026-01-31 and 2026-02", [Date(2026, 1, 31), Date(2026, 2)]),
        ("what happened in 2025", [Date(2025)]),
        ("in 2025-03", [Date(2025, 3)]),
        ("May 2025, in may 2025", [Date(2025, 5)]),
    ],
)
def test_dates_are_found(text: str, found: list[Date]) -> None:
    assert list(taken(text)[0]) == found


@pytest.mark.parametrize(
    "text",
    [
        "it may 3 times",
        "march 3 files in",
        "the may and the march",
        "May I ask about June",
        "in decimal, in dec, in octal",
        "version 2025.3 of 20255",
        "error 2025 at line 2024",
        "2025-13 and 2025-00-10 and 1-2025-10-13 and 2025-10-13-4",
        "sept10 june2025x",
        "2025-10-13.md and notes/2025-10-13 and 2025-10-13T12:00 and v2025-10-13",
        "",
    ],
)
def test_other_words_and_numbers_are_no_dates(text: str) -> None:
    assert taken(text) == ((), text)


def test_a_pasted_calendar_names_a_bounded_number_of_dates() -> None:
    days = " ".join(f"2025-01-{day:02}" for day in range(1, 32))
    assert len(taken(days)[0]) == MOST
    assert taken("x" * LONGEST + days)[0] == ()


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("what did we drop on October 13, 2025, and why", "what did we drop on and why"),
        ("the 13th of october: hooks", "the hooks"),
        ("hooks of 2025-10-13.", "hooks of"),
        ("hooks between Aug. 3 and Aug. 5 2023", "hooks between and"),
        ("13 hooks in 2025", "13 hooks"),
        ("In May 2025", ""),
        ("June 2025-10-13 hooks and 2025 May 2025 hooks", "June hooks and 2025 hooks"),
    ],
)
def test_a_text_is_left_without_the_words_of_its_dates(text: str, rest: str) -> None:
    assert taken(text)[1] == rest


def at(*parts: int) -> int:
    return int(datetime(*parts, tzinfo=UTC).timestamp() * 1000)  # type: ignore[arg-type, misc]


def test_what_was_said_in_the_time_named_counts() -> None:
    assert share([Date(2025, 10, 13)], at(2025, 10, 13, 23)) == 1.0
    assert share([Date(2025, 10, 13)], at(2025, 10, 14, 3)) == 1.0
    assert 0 < share([Date(2025, 10, 13)], at(2025, 10, 20)) < 1
    assert share([Date(2025, 10, 13)], at(2024, 10, 13)) == 0.0
    assert share([Date(0, 10)], at(2024, 10, 30)) == share([Date(0, 10), Date(2020)], at(2020, 1, 1)) == 1.0
    assert share([Date(0, 10)], at(2024, 11, 1)) == 0.0
    assert share([], at(2025, 1, 1)) == share([Date(2025)], None) == 0.0
    assert share([Date(1969)], -1) == 1.0


@pytest.mark.parametrize("time", [(1 << 63) - 1, -(1 << 63)])
def test_a_time_beyond_all_calendars_lies_in_no_date(time: int) -> None:
    assert share([Date(2025)], time) == 0.0
