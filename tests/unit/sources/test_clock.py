import pytest

from backstory.sources.clock import milliseconds


@pytest.mark.parametrize(
    ("stamp", "expected"),
    [
        ("1970-01-01T00:00:01.500Z", 1500),
        ("2026-03-01T09:00:00.999999+02:00", 1772348401000),
        ("2026-03-01T07:00:00", 1772348400000),
        (1772348400, 1772348400000),
        (1772348400.25, 1772348400250),
        (1772348400250, 1772348400250),
        ("yesterday", None),
        ("", None),
        (None, None),
        (True, None),
        (-5, None),
        (1e300, None),
        (float("nan"), None),
        ([], None),
    ],
)
def test_a_stamp_becomes_milliseconds_or_nothing(stamp: object, expected: int | None) -> None:
    assert milliseconds(stamp) == expected
