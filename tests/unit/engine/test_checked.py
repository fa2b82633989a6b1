"""What is remembered of checks: for the very message, and no more than a bound."""

from collections.abc import Callable

import pytest

from backstory.engine.transcript.checked import Blocks, Checked, copied
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


def content() -> Blocks:
    return [{"a": "x", "b": {"c": ["y"]}}, {"d": "z", "e": 1}]


def test_a_content_passes_as_long_as_it_is_what_was_sent() -> None:
    known, sent = checked(), content()
    assert known.passing(sent) is None
    known.passed = {id(sent): copied(sent)}
    assert known.passing(sent) == (sent, content())
    assert known.passing(content()) is None


@pytest.mark.parametrize(
    "change",
    [
        lambda blocks: blocks[0].update(a="y"),
        lambda blocks: blocks[0]["b"]["c"].append("z"),
        lambda blocks: blocks[0]["b"].update(c="y"),
        lambda blocks: blocks[0].update(f=blocks[0].pop("a")),
        lambda blocks: blocks[1].pop("e"),
        lambda blocks: blocks.append({"d": "w"}),
    ],
)
def test_a_content_that_was_changed_does_not_pass(change: Callable[[Blocks], object]) -> None:
    known, sent = checked(), content()
    known.passed = {id(sent): copied(sent)}
    change(sent)
    assert known.passing(sent) is None
