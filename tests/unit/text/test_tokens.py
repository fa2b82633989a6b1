"""Estimates agree with the worked vectors of the estimator `chars-v1`."""

import pytest

from backstory.records.message import Image, Message, Text, Thinking, ToolCall, ToolResult
from backstory.text.tokens import CHARS, Estimator, count, units


@pytest.mark.parametrize(
    ("text", "expected"), [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("😀😀", 1), ("é" * 5, 2)]
)
def test_text_costs_a_token_per_four_utf16_units(text: str, expected: int) -> None:
    assert count(text) == expected


def test_an_astral_character_and_a_lone_surrogate_have_a_length() -> None:
    assert (units("😀"), units("\ud800a"), units("é")) == (2, 2, 1)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (Message("user", (Text("hello world"),)), 8 + 1 + 3 + 4),
        (Message("assistant", (Text("12345678"), ToolCall("c", "read", {"path": "a.py"}))), 26),
        (Message("user", (Image("image/png", 99_999),)), 1_037),
        (Message("assistant", (Thinking("abcd"),)), 8 + 3 + 1 + 4),
        (Message("tool", (ToolResult("c", "x" * 40),)), 8 + 3 + 10 + 4),
        (Message("tool", (ToolResult("c", "x" * 40, images=2),)), 8 + 3 + 10 + 4 + 2 * 1_028),
        (Message("assistant", (ToolCall("c", "run", "not json"),)), 8 + 3 + 3 + 4),
    ],
)
def test_a_message_costs_its_wrapper_role_and_blocks(message: Message, expected: int) -> None:
    assert CHARS.message(message) == expected


def test_another_counter_keeps_the_fixed_costs() -> None:
    words = Estimator("words-v1", lambda text: len(text.split()))
    assert words.message(Message("user", (Text("one two three"),))) == 8 + 1 + 3 + 4


def test_plain_content_has_no_block_around_it() -> None:
    assert CHARS.plain("user", "hello world") == 12
