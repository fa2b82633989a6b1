"""A session that only asked for something does not stand above the one that holds it."""

import json

import pytest

from tests.fakes import logs
from tests.fakes.desk import Desk

ASKED = "why did we drop the ibis retry limiter"


def asking(desk: Desk, *commands: str) -> None:
    """A Claude Code session in which an agent ran these commands, each of which found the answer."""
    rows = [logs.claude_entry("asking", 0, "look into the history please")]
    for at, command in enumerate(commands):
        call = {"type": "tool_use", "id": f"q{at}", "name": "Bash", "input": {"command": command}}
        found = {"type": "tool_result", "tool_use_id": f"q{at}", "content": "ibis retry limiter: it doubled latency"}
        made = logs.claude_entry("asking", 2 * at + 1, "", role="assistant")
        made["message"]["content"] = [call]
        rows += [made, logs.claude_entry("asking", 2 * at + 2, [found])]
    desk.put(desk.claude_folder / "asking.jsonl", logs.lines(rows))


@pytest.fixture
def origin(desk: Desk) -> Desk:
    """The session that is looked for."""
    desk.claude("origin", ["the limiter for ibis retries is slow, drop it", "I removed the ibis retry limiter."])
    return desk


@pytest.mark.parametrize(
    "command",
    [
        f"backstory search {json.dumps(ASKED)} --limit {{}}",
        f"cd /tmp && BACKSTORY_HOME=/x /usr/local/bin/backstory search --sessions {ASKED} --limit {{}}",
        f"echo start\nbackstory query search-events {ASKED} --limit {{}}",
    ],
)
def test_asking_again_and_again_does_not_outdo_the_answer(origin: Desk, command: str) -> None:
    asking(origin, *(command.format(at) for at in range(6)))
    found = [row["session_id"] for row in origin.ask("search", ASKED, "--sessions")["items"]]
    assert found == ["origin", "asking"]
    assert origin.hits(ASKED)[0]["session_id"] == "origin"


def test_asking_with_our_tool_does_not_outdo_the_answer(origin: Desk) -> None:
    rows = [logs.pi_header("asking"), logs.pi_entry(0, "look into the history please")]
    for at in range(1, 7):
        call = {"type": "toolCall", "id": f"q{at}", "name": "context_history_recall", "arguments": {"query": ASKED}}
        made = logs.pi_entry(at, "", role="assistant")
        made["message"]["content"] = [call]
        rows.append(made)
    origin.put(origin.pi_folder / "asking.jsonl", logs.lines(rows))
    found = [row["session_id"] for row in origin.ask("search", ASKED, "--sessions")["items"]]
    assert found == ["origin", "asking"]


def test_what_was_asked_can_be_found(origin: Desk) -> None:
    asking(origin, "backstory search the quetzal that nobody else names")
    assert [hit["session_id"] for hit in origin.hits("quetzal")] == ["asking"]
    assert [row["session_id"] for row in origin.ask("search", "quetzal", "--sessions")["items"]] == ["asking"]


def test_a_command_that_only_names_ours_counts_in_full(origin: Desk) -> None:
    asking(origin, *(f"git log --grep {json.dumps(ASKED)} -- backstory/{at}.py" for at in range(6)))
    assert origin.ask("search", ASKED, "--sessions")["items"][0]["session_id"] == "asking"
