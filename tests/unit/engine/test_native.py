"""A host's own messages become canonical ones, and changes go back into their native form."""

from typing import Any

import msgspec
import pytest

from backstory.engine.host.native import canonical, changed
from backstory.records.message import Message, Text, ToolCall, ToolResult
from backstory.sources import registry

PI = registry.load("pi")


def raw(value: Any) -> bytes:
    return msgspec.json.encode(value)


@pytest.mark.parametrize(
    ("native", "expected"),
    [
        ({"role": "user", "content": "hi"}, Message("user", (Text("hi"),))),
        ({"role": "compactionSummary", "summary": "before"}, Message("user", (Text("before"),))),
        ({"role": "branchSummary", "summary": "aside"}, Message("user", (Text("aside"),))),
        ({"role": "custom", "customType": "x", "content": "note"}, Message("user", (Text("note"),))),
        (
            {"role": "toolResult", "toolCallId": "c", "content": [{"type": "text", "text": "out"}], "isError": True},
            Message("tool", (ToolResult("c", "out", error=True),)),
        ),
        (
            {"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "read", "arguments": {"a": 1}}]},
            Message("assistant", (ToolCall("c", "read", {"a": 1}),)),
        ),
        ({"role": "somebody", "content": "?"}, None),
        ({"role": "branchSummary", "summary": ""}, None),
        ({"role": 3}, None),
    ],
)
def test_what_a_host_sends_is_read_as_its_log_would_be(native: Any, expected: Message | None) -> None:
    assert canonical(PI, raw(native)) == expected


def test_a_tool_result_gets_its_text_and_nothing_else() -> None:
    native = {"role": "toolResult", "toolCallId": "c", "content": [{"type": "text", "text": "long"}], "details": {}}
    blocks = [{"type": "tool_result", "id": "c", "content": "short"}]
    assert changed(raw(native), blocks) == {"content": [{"type": "text", "text": "short"}]}


def test_images_of_a_tool_result_stay_beside_its_shorter_text() -> None:
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    content = [{"type": "text", "text": "a long page"}, image, {"type": "text", "text": "more"}]
    native = {"role": "toolResult", "toolCallId": "c", "content": content}
    message = canonical(PI, raw(native))
    assert message == Message("tool", (ToolResult("c", "a long page\n[image]\nmore", images=1),))
    short = {"type": "tool_result", "id": "c", "content": "short"}
    assert changed(raw(native), [{**short, "images": 1}]) == {"content": [{"type": "text", "text": "short"}, image]}
    assert changed(raw(native), [short]) == {"content": [{"type": "text", "text": "short"}]}


def test_signatures_stay_only_on_what_did_not_change() -> None:
    content: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"},
        {"type": "text", "text": "secret", "textSignature": "s"},
        {"type": "text", "text": "plain", "textSignature": "t"},
        {"type": "toolCall", "id": "c", "name": "write", "arguments": {"content": "secret"}, "thoughtSignature": "u"},
    ]
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "[withheld]"},
        {"type": "text", "text": "plain"},
        {"type": "tool_call", "id": "c", "name": "write", "arguments": {"content": "[withheld]"}},
    ]
    assert changed(raw({"role": "assistant", "content": content}), blocks) == {
        "content": [
            content[0],
            {"type": "text", "text": "[withheld]"},
            content[2],
            {**content[3], "arguments": {"content": "[withheld]"}},
        ]
    }


def test_an_answer_that_lost_a_block_is_made_anew() -> None:
    content = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    made = changed(raw({"role": "assistant", "content": content}), [{"type": "text", "text": "both"}])
    assert made == {"content": [{"type": "text", "text": "both"}]}


def test_images_stay_where_their_block_does() -> None:
    image = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
    native = {"role": "user", "content": [{"type": "text", "text": "see"}, image, image]}
    blocks: list[dict[str, Any]] = [
        {"type": "text", "text": "look"},
        {"type": "image", "media_type": "image/png", "size": 4},
    ]
    assert changed(raw(native), blocks) == {"content": [{"type": "text", "text": "look"}, image]}


def test_what_pi_words_itself_becomes_a_plain_message() -> None:
    made = changed(raw({"role": "bashExecution", "command": "ls", "output": "a"}), [{"type": "text", "text": "[x]"}])
    assert made == {"role": "user", "content": [{"type": "text", "text": "[x]"}]}


def test_a_plain_text_stays_one() -> None:
    assert changed(raw({"role": "user", "content": "a"}), [{"type": "text", "text": "b"}]) == {"content": "b"}
