"""Writes small agent logs the way agents do: one record a line, growing at the end."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

BASE = 1_767_225_600_000  # 2026-01-01T00:00:00Z
HOME = "/home/ada/shop"


def line(record: Any) -> bytes:
    """One record as a line."""
    return json.dumps(record, ensure_ascii=False).encode("utf-8", "surrogatepass") + b"\n"


def lines(records: Iterable[Any]) -> bytes:
    """Records as lines."""
    return b"".join(map(line, records))


def stamp(minute: int) -> str:
    """A time some minutes after the base, as agents write it."""
    day, rest = divmod(minute, 24 * 60)
    return f"2026-01-{day + 1:02}T{rest // 60:02}:{rest % 60:02}:00.000Z"


def pi_header(session: str, *, cwd: str = HOME, parent: str | None = None) -> dict[str, Any]:
    """The first record of a Pi session."""
    header = {"type": "session", "version": 3, "id": session, "timestamp": stamp(0), "cwd": cwd}
    return header | ({"parentSession": parent} if parent else {})


def pi_entry(number: int, text: str, *, role: str = "user", parent: int | None = -1, **more: Any) -> dict[str, Any]:
    """A message of a Pi session; `parent` -1 means the entry before it."""
    before = number - 1 if parent == -1 else parent
    content = [{"type": "text", "text": text}]
    return {
        "type": "message",
        "id": f"e{number:04}",
        "parentId": None if before is None or before < 0 else f"e{before:04}",
        "timestamp": stamp(number),
        "message": {"role": role, "content": content, "timestamp": BASE + number * 60_000, **more},
    }


def pi_result(number: int, text: str, *, call: str = "call-1", tool: str = "bash") -> dict[str, Any]:
    """A tool's answer in a Pi session."""
    return pi_entry(number, text, role="toolResult", toolCallId=call, toolName=tool, isError=False)


def pi(session: str, texts: Sequence[str], **header: Any) -> bytes:
    """A whole Pi session of alternating user and assistant messages."""
    roles = ("user", "assistant")
    return lines(
        [pi_header(session, **header), *(pi_entry(at, text, role=roles[at % 2]) for at, text in enumerate(texts))]
    )


def claude_entry(session: str, number: int, text: Any, *, role: str = "user", **more: Any) -> dict[str, Any]:
    """A record of a Claude Code session."""
    message = {"role": role, "content": text if role == "user" else [{"type": "text", "text": text}]}
    return {
        "parentUuid": None if number == 0 else f"{session}-{number - 1}",
        "isSidechain": False,
        "userType": "external",
        "cwd": HOME,
        "sessionId": session,
        "version": "2.1.40",
        "type": role,
        "uuid": f"{session}-{number}",
        "timestamp": stamp(number),
        "message": message | ({"id": f"msg-{number}", "model": "m-1"} if role == "assistant" else {}),
        **more,
    }


def claude(session: str, texts: Sequence[str], start: int = 0) -> bytes:
    """A Claude Code session of alternating user and assistant messages."""
    roles = ("user", "assistant")
    return lines(claude_entry(session, at, text, role=roles[at % 2]) for at, text in enumerate(texts, start))


def write(path: Path, data: bytes) -> Path:
    """Writes a file and the folders above it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path
