"""A session of Pi that a test writes turn by turn, with calls whose ids are used again, and what a plan of it sends."""

import json
from pathlib import Path
from typing import Any

from backstory.records.planning import Planned

SESSION = "0192aaaa-0000-7000-8000-000000000001"


class PiLog:
    """Writes a session entry by entry, each hanging on the one before."""

    def __init__(self) -> None:
        self.lines: list[dict[str, Any]] = [
            {
                "type": "session",
                "version": 3,
                "id": SESSION,
                "timestamp": "2026-01-01T00:00:00.000Z",
                "cwd": "/work/app",
            }
        ]
        self.last: str | None = None

    def add(self, type_: str, **fields: Any) -> str:
        id_ = f"{len(self.lines):08x}"
        time = f"2026-01-01T00:{len(self.lines) // 60:02}:{len(self.lines) % 60:02}.000Z"
        self.lines.append({"type": type_, "id": id_, "parentId": self.last, "timestamp": time, **fields})
        self.last = id_
        return id_

    def say(self, role: str, *blocks: dict[str, Any], **more: Any) -> str:
        return self.add("message", message={"role": role, "content": list(blocks), "timestamp": 0, **more})

    def turn(self, number: int, size: int = 400) -> None:
        self.say("user", {"type": "text", "text": f"please look at module_{number} in src/part_{number}.py"})
        call = {
            "type": "toolCall",
            "id": "reused",
            "name": "read",
            "arguments": {"path": f"/work/app/src/part_{number}.py"},
        }
        self.say("assistant", {"type": "text", "text": "reading it"}, call)
        body = f"def handlerNumber{number}():\n" + "    pass  # filler line\n" * (size // 24)
        result = {"type": "text", "text": body}
        self.say("toolResult", result, toolCallId="reused", toolName="read", isError=False)
        self.say("assistant", {"type": "text", "text": f"handlerNumber{number} does nothing"})

    def write(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(json.dumps(line) + "\n" for line in self.lines)
        (folder / f"2026-01-01T00-00-00-000Z_{SESSION}.jsonl").write_text(text, encoding="utf-8")


def texts(answer: Planned) -> str:
    """All that a call sends."""
    return "\n".join(str(message.content) for message in answer.messages)
