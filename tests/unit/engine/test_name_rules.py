"""What the name of an entry means."""

import pytest

from backstory.engine import name_rules


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("a1", "by id"),
        ("7", "an id of digits"),
        ("3", "number 3"),
        ("4", None),
        ("-3", None),
        ("3 ", None),
        ("", None),
        ("0" * 18 + "3", "number 3"),
        ("0" * 19 + "3", None),
    ],
)
def test_an_entry_is_called_by_its_id_and_failing_that_by_its_number(name: str, meant: str | None) -> None:
    ids, numbers = {"a1": "by id", "7": "an id of digits"}, {3: "number 3", 7: "number 7"}
    assert name_rules.entry(name, ids, numbers.get) == meant
