"""Images inside tool results are counted, whichever agent wrote them: a model call carries them."""

import json
from typing import Any

import msgspec
import pytest

from backstory.records.message import ToolResult
from backstory.sources import registry

TEXT = {"type": "text", "text": "page"}
PI = {"type": "message", "id": "e", "parentId": None, "timestamp": "2026-03-14T00:00:00.000Z"}
PI_IMAGE = {"type": "image", "data": "AAAA", "mimeType": "image/png"}
CLAUDE_IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}
CODEX_IMAGE = {"type": "input_image", "image_url": "data:image/png;base64,AAAA"}


def pi(content: list[Any]) -> Any:
    return {**PI, "message": {"role": "toolResult", "toolCallId": "c", "toolName": "shot", "content": content}}


def claude(content: list[Any]) -> Any:
    result = {"type": "tool_result", "tool_use_id": "c", "content": content}
    return {"type": "user", "uuid": "u", "message": {"role": "user", "content": [result]}}


def codex(content: list[Any]) -> Any:
    return {"type": "response_item", "payload": {"type": "function_call_output", "call_id": "c", "output": content}}


@pytest.mark.parametrize(
    ("source", "record", "image"),
    [("pi", pi, PI_IMAGE), ("claude-code", claude, CLAUDE_IMAGE), ("codex", codex, CODEX_IMAGE)],
)
def test_images_in_a_tool_result_are_counted(source: str, record: Any, image: Any) -> None:
    for content, images in [([TEXT, image, image], 2), ([TEXT], msgspec.UNSET)]:
        message = registry.load(source).message(json.dumps(record(content)).encode())
        assert message is not None
        [block] = message.blocks
        assert isinstance(block, ToolResult)
        assert block.images == images
        assert block.content.split("\n").count("[image]") == len(content) - 1
