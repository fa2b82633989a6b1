"""Turns a host's own messages into canonical ones, and a changed canonical message into what the host has to change.

Pi's messages are what its log holds, so the adapter reads them; entries that only its context knows (summaries) get
the text that the log's entry would have.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from backstory.records.message import Message
from backstory.sources.base import Source

_SUMMARIES = {"compactionSummary": "compaction", "branchSummary": "branch_summary"}


class _Head(msgspec.Struct):
    role: str = ""
    summary: str = ""


def canonical(source: Source, raw: bytes) -> Message | None:
    """The canonical form of a host's message, None when it carries nothing to a model."""
    try:
        head = msgspec.json.decode(raw, type=_Head)
        if kind := _SUMMARIES.get(head.role):
            return source.message(msgspec.json.encode({"type": kind, "summary": head.summary}))
        return source.message(b'{"type":"message","message":' + raw + b"}")
    except msgspec.DecodeError:
        return None


def changed(raw: bytes, blocks: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The fields of a host's message that have to change for it to carry these canonical blocks."""
    message = msgspec.json.decode(raw)
    role, content = message.get("role"), message.get("content")
    if role == "toolResult":
        return {
            "content": [*({"type": "text", "text": block["content"]} for block in blocks), *_pictures(content, blocks)]
        }
    if role == "assistant" and isinstance(content, list):
        return {"content": _assistant(content, blocks)}
    if isinstance(content, str):
        return {"content": "\n".join(block.get("text", "") for block in blocks)}
    if isinstance(content, list):
        return {"content": _mixed(content, blocks)}
    # A command or a summary: Pi words these itself, so what is sent instead has to be a plain message.
    return {"role": "user", "content": [{"type": "text", "text": block.get("text", "")} for block in blocks]}


def _pictures(content: Any, blocks: Sequence[dict[str, Any]]) -> list[Any]:
    """The images of a tool result, as far as its canonical blocks still have any."""
    if not isinstance(content, list) or not any(block.get("images") for block in blocks):
        return []
    return [block for block in content if isinstance(block, dict) and block.get("type") == "image"]


def _assistant(content: list[Any], blocks: Sequence[dict[str, Any]]) -> list[Any]:
    """An answer with other texts and arguments; signatures go where what they sign has changed."""
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    calls = [block for block in blocks if block["type"] == "tool_call"]
    if len(texts) != _count(content, "text") or len(calls) != _count(content, "toolCall"):
        made = [{"type": "text", "text": text} for text in texts]
        return made + [
            {"type": "toolCall", "id": one["id"], "name": one["name"], "arguments": one["arguments"]} for one in calls
        ]
    found = []
    for block in content:
        if block.get("type") == "text":
            text = texts.pop(0)
            found.append(block if text == block.get("text") else {"type": "text", "text": text})
        elif block.get("type") == "toolCall":
            arguments = calls.pop(0)["arguments"]
            found.append(block if arguments == block.get("arguments") else {**block, "arguments": arguments})
        else:
            found.append(block)
    return found


def _mixed(content: list[Any], blocks: Sequence[dict[str, Any]]) -> list[Any]:
    """Texts and images; an image stands for itself as long as its block does."""
    images = [block for block in content if block.get("type") == "image"]
    found: list[Any] = []
    for block in blocks:
        if block["type"] == "text":
            found.append({"type": "text", "text": block["text"]})
        elif block["type"] == "image" and images:
            found.append(images.pop(0))
    return found


def _count(content: list[Any], kind: str) -> int:
    return sum(isinstance(block, dict) and block.get("type") == kind for block in content)
