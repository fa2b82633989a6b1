"""What a session is called by its prompts, in every source: the first that is more than the name of a command."""

import json
from typing import Any

import pytest

from backstory.sources import registry

STAMP = "2026-01-01T00:00:00Z"


def record(source: str, at: int, text: str) -> dict[str, Any]:
    """A prompt as an agent writes it."""
    blocks = [{"type": "text", "text": text}]
    said: dict[str, Any]
    match source:
        case "pi":
            said = {"role": "user", "content": blocks}
            return {"type": "message", "id": f"e{at}", "parentId": None, "timestamp": STAMP, "message": said}
        case "claude-code":
            said = {"role": "user", "content": text}
            return {"type": "user", "uuid": f"u{at}", "parentUuid": None, "sessionId": "s", "message": said}
        case "codex":
            content = [{"type": "input_text", "text": text}]
            said = {"type": "message", "role": "user", "content": content}
            return {"timestamp": STAMP, "type": "response_item", "payload": said}
        case "gemini":
            return {"id": f"m{at}", "timestamp": STAMP, "type": "user", "content": text}
        case "dsh":
            data = {"message": {"id": f"m{at}", "role": "user", "content": blocks}}
            return {"type": "user/message", "seq": at, "time": 5000 + at, "data": data}
        case _:
            said = {"id": str(at), "sourceEntryId": f"e-{at}", "role": "user", "blocks": blocks}
            return {"type": "message", "message": said}


def title(source: str, prompts: list[str]) -> str | None:
    """What a session of these prompts is called."""
    header = {
        "pi": {"type": "session", "version": 3, "id": "s1", "timestamp": STAMP, "cwd": "/home/ada"},
        "gemini": {"sessionId": "s", "projectHash": "h", "startTime": STAMP, "kind": "main"},
        "dsh": {"type": "session", "version": 0, "id": "s1", "createdAt": 1000, "delegationDepth": 0},
        "runtime": {
            "type": "ds4-runtime-session-v1",
            "runtimeId": "r",
            "sessionId": "run-1",
            "projectRoot": "/home/ada",
        },
    }
    path = {"gemini": "/t/h/chats/session-x.jsonl", "dsh": "/logs/s1/session.jsonl"}.get(source, "/logs/x_s1.jsonl")
    parser = registry.load(source).parser(path)
    before = [header[source]] if source in header else []
    for one in (*before, *(record(source, at, text) for at, text in enumerate(prompts, 1))):
        list(parser.parse(json.dumps(one).encode()))
    return parser.facts.title


@pytest.mark.parametrize("source", registry.names())
@pytest.mark.parametrize(
    ("prompts", "called"),
    [
        (["/mode"], "/mode"),
        (["/mode", "Why does the cart lose its discount?", "and then?"], "Why does the cart lose its discount?"),
        (["/mode", "/my:plan-b", "Fix it"], "Fix it"),
        (["/mode", "/model"], "/mode"),
        (["Fix it", "/mode", "Fix that"], "Fix it"),
        (["/home/ada/shop is broken", "Fix it"], "/home/ada/shop is broken"),
        (["/review the last change", "Fix it"], "/review the last change"),
        (["/etc/hosts", "Fix it"], "/etc/hosts"),
    ],
)
def test_a_command_by_itself_gives_way_to_the_first_prompt(source: str, prompts: list[str], called: str) -> None:
    assert title(source, prompts) == called
