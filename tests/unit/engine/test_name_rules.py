"""What the name of an entry means."""

import pytest

from backstory.engine import name_rules
from backstory.errors import AmbiguousNameError


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
        ("#7", "number 7"),
        ("#9", "an id like a number"),
        ("##7", "an id like a number"),
        ("##3", None),
    ],
)
def test_an_entry_is_called_by_its_id_and_failing_that_by_its_number(name: str, meant: str | None) -> None:
    like = dict.fromkeys(("#7", "##7", "#9"), "an id like a number")
    ids, numbers = {"a1": "by id", "7": "an id of digits", **like}, {3: "number 3", 7: "number 7"}
    assert name_rules.entry(name, ids, numbers.get) == meant


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("ab1", "ab1"),
        ("ab12", "ab12"),
        ("ab12…", "ab12"),
        ("ab12c", None),
        ("b", "b7"),
        ("7", "number 7"),
        ("70", "7000"),
        ("", None),
        ("…", None),
    ],
)
def test_an_entry_is_called_by_a_beginning_that_nothing_else_is_called_by(name: str, meant: str | None) -> None:
    ids = {id_: id_ for id_ in ("ab1", "ab12", "b7", "7000")}
    assert name_rules.begun_entry(name, ids, {7: "number 7"}.get) == meant


def test_a_beginning_of_many_ids_lists_the_first_of_them() -> None:
    ids = {f"ab{number}": number for number in reversed(range(9))}
    with pytest.raises(AmbiguousNameError, match=r"more than one entry begins with 'a': ab0, ab1, ab2, ab3, ab4, …$"):
        name_rules.begun_entry("a", ids, lambda _: None)
