"""Looks at what a model got, and writes long sessions as Pi would have written them."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

Messages = Sequence[dict[str, Any]]


def text(message: dict[str, Any]) -> str:
    """The text of a message as a provider gets it."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(block.get("text", "") for block in content)
    return content or ""


def texts(messages: Messages) -> list[str]:
    """The texts of all messages but the system prompt."""
    return [text(message) for message in messages if message["role"] != "system"]


def size(messages: Messages) -> int:
    """Characters of a request's messages, roughly what they cost."""
    return sum(len(json.dumps(message)) for message in messages)


def sound(messages: Messages) -> bool:
    """Whether every call has its result right behind it, and every result its call."""
    waiting: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in waiting:
                return False
            waiting.remove(message["tool_call_id"])
        elif waiting:
            return False
        waiting |= {call["id"] for call in message.get("tool_calls") or ()}
    return not waiting


def long_session(path: Path, cwd: Path, entries: int, chars: int = 300) -> None:
    """A session of many turns, each a prompt, a call, its result and an answer."""
    lines: list[dict[str, Any]] = [
        {"type": "session", "version": 3, "id": path.stem, "timestamp": "2026-11-29T10:00:00.000Z", "cwd": str(cwd)}
    ]
    model = {"api": "openai-completions", "provider": "script", "model": "small"}
    cost = dict.fromkeys(("input", "output", "cacheRead", "cacheWrite", "total"), 0)
    usage = {"input": 1, "output": 1, "cacheRead": 0, "cacheWrite": 0, "totalTokens": 2, "cost": cost}
    parent = None
    for number in range(entries):
        turn, part = divmod(number, 4)
        said = f"turn {turn} " + "lorem ipsum " * (chars // 12)
        block = {"type": "text", "text": said}
        call = {"type": "toolCall", "id": f"old_{turn}", "name": "read", "arguments": {"path": f"file{turn}.py"}}
        result = {"role": "toolResult", "toolCallId": f"old_{turn}", "toolName": "read", "isError": False}
        parts: list[dict[str, Any]] = [
            {"role": "user", "content": [{"type": "text", "text": f"please look at file{turn}.py"}]},
            {"role": "assistant", "content": [call], **model, "usage": usage, "stopReason": "toolUse"},
            result | {"content": [block]},
            {"role": "assistant", "content": [block], **model, "usage": usage, "stopReason": "stop"},
        ]
        message = parts[part]
        message["timestamp"] = 1_795_946_400_000 + number
        stamp = f"2026-11-29T10:{number // 60 % 60:02}:{number % 60:02}.000Z"
        lines.append(
            {"type": "message", "id": f"{number:08x}", "parentId": parent, "timestamp": stamp, "message": message}
        )
        parent = f"{number:08x}"
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")
