"""`after:` and `before:` know times told from now; a day begins at midnight where the person is."""

import time
from collections.abc import Iterator
from datetime import datetime

import pytest

from backstory.engine.sessions.narrow import narrowed
from backstory.text.query import parse

# A quarter past one at night, on the day that clocks went forward at two.
NOW = "2026-03-29T01:15:00+01:00"


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The time zone of a person in Berlin."""
    if not hasattr(time, "tzset"):
        pytest.skip("this system has no time zone for a single process")
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def stamp(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def moments(text: str, now: str = NOW) -> set[object]:
    clause, warnings = narrowed(parse(text), stamp(now))
    assert warnings == []
    return {value for value in clause.args.values() if isinstance(value, int)}


@pytest.mark.parametrize(
    ("told", "meant"),
    [
        ("today", "2026-03-29T00:00:00+01:00"),
        ("Yesterday", "2026-03-28T00:00:00+01:00"),
        ("0d", "2026-03-29T00:00:00+01:00"),
        ("1d", "2026-03-28T00:00:00+01:00"),
        ("2w", "2026-03-15T00:00:00+01:00"),
        ("90m", None),
        ("3h", "2026-03-28T22:00:00+01:00"),
        ("26H", "2026-03-27T23:00:00+01:00"),
    ],
)
def test_a_time_told_from_now_is_known(told: str, meant: str | None) -> None:
    if meant is None:
        assert narrowed(parse(f"kumquat after:{told}"), stamp(NOW))[1]
    else:
        assert moments(f"kumquat after:{told}") == {stamp(meant)}
        assert moments(f"kumquat before:{told}") == {stamp(meant) - 1}


def test_midnight_is_that_of_its_own_day_though_clocks_changed_since() -> None:
    assert moments("after:1w", "2026-04-02T12:00:00+02:00") == {stamp("2026-03-26T00:00:00+01:00")}


@pytest.mark.parametrize("told", ["d", "-1d", "1.5d", "٣d", "²d", "99999d", "7 d", "1dd", "tomorrow", "now", "w7"])
def test_anything_else_is_no_time(told: str) -> None:
    clause, warnings = narrowed(parse(f'kumquat after:"{told}"'), stamp(NOW))
    assert clause.sql == ""
    assert [warning.startswith(f"after:{told} is not a date") for warning in warnings] == [True]


@pytest.mark.parametrize("now", ["1970-01-01T00:00:00+00:00", "9999-12-30T00:00:00+00:00"])
def test_no_time_is_too_long_ago(now: str) -> None:
    for told in ("9999d", "9999w", "9999h"):
        clause, warnings = narrowed(parse(f"kumquat after:{told}"), stamp(now))
        assert clause.sql
        assert warnings == []
