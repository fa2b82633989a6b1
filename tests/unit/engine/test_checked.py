"""What is remembered of checks: for the very message, and no more than a bound."""

import pytest

from backstory.engine.transcript.checked import Checked, frozen
from backstory.records.message import Message, Text
from backstory.records.privacy import Destination, Passage, Policy

TARGET = Destination("remote", local=False, allowed=frozenset({"normal"}))


def checked() -> Checked:
    return Checked(Policy(enabled=True), TARGET)


def test_what_was_made_of_a_message_is_given_for_that_very_message_only() -> None:
    known, message = checked(), Message("user", (Text("one"),))
    shown, passage = Message("user", (Text("none"),)), Passage(changed=True)
    known.note(3, message, shown, passage)
    assert known.message(3, message) == (shown, passage)
    assert known.message(4, message) is None
    assert known.message(3, Message("user", (Text("one"),))) is None


def test_messages_that_are_not_needed_are_let_go() -> None:
    known, message = checked(), Message("user", (Text("one"),))
    for at in range(3):
        known.note(at, message, message, Passage())
    known.forget({1})
    assert [known.message(at, message) is not None for at in range(3)] == [False, True, False]


def test_texts_are_remembered_up_to_a_bound() -> None:
    known = checked()
    known.note_quotable("short", quotable=False)
    assert (known.quotable("short"), known.quotable("other")) == (False, None)
    known.note_quotable("a" * 1_999_990, quotable=True)
    assert known.quotable("short") is False
    known.note_quotable("longer than that", quotable=True)
    assert (known.quotable("short"), known.quotable("longer than that")) == (None, True)


def test_it_counts_where_blocks_begin() -> None:
    assert frozen([{"a": "x"}, {"b": "y"}]) != frozen([{"a": "b", "x": "y"}])


@pytest.mark.parametrize(
    "other",
    [
        [{"a": "x", "b": {"c": ["y"]}}, {"d": "z"}],
        [{"a": "x", "b": {"c": ["y"]}, "d": "z", "e": 1}],
        [{"a": "x", "b": '{"c":["y"]}'}, {"d": "z", "e": 1}],
        [{"a": "x", "b": {"c": ["z"]}}, {"d": "z", "e": 1}],
        [{"a": "y", "b": {"c": ["y"]}}, {"d": "z", "e": 1}],
        [{"f": "x", "b": {"c": ["y"]}}, {"d": "z", "e": 1}],
    ],
)
def test_contents_are_the_same_only_when_all_that_is_in_them_is(other: list[dict[str, object]]) -> None:
    def content() -> list[dict[str, object]]:
        return [{"a": "x", "b": {"c": ["y"]}}, {"d": "z", "e": 1}]

    assert frozen(content()) == frozen(content())
    assert frozen(other) != frozen(content())
    assert hash(frozen(other))
