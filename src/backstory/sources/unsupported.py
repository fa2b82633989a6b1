"""Agents whose sessions can be seen on disk but not read yet, so that their absence from a search is no mystery.

Looks at names and first bytes only and reads no session. Agents that can be read are in `sources.registry`. Used by
the report on sources.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path, PurePath

from backstory.config.paths import open_file
from backstory.records.base import Record

_HEAD = 4096
_MOST_LOOKED_AT = 50


class Unsupported(Record, frozen=True):
    """Sessions of an agent that is not read yet: where they lie and what gave them away."""

    name: str
    title: str
    path: str
    evidence: str


class Agent(Record, frozen=True):
    """One agent: its default folders and the files in them that give it away.

    `places` may hold `{home}`, `{data}`, `{config}` and `{support}`; the environment variable `variable` replaces
    them. `files` are glob patterns below a place, `sign` is searched for in a file's first bytes.
    """

    name: str
    title: str
    places: tuple[str, ...]
    files: tuple[str, ...]
    sign: re.Pattern[bytes]
    variable: str | None = None


AGENTS: tuple[Agent, ...] = (
    Agent(
        "opencode",
        "opencode",
        ("{data}/opencode",),
        ("opencode*.db", "storage/session/*/*.json", "project/*/storage/session/info/*.json"),
        re.compile(rb'\ASQLite format 3\0|\A\s*\{\s*"id"\s*:.*"projectID"\s*:', re.DOTALL),
    ),
    Agent(
        "cursor",
        "Cursor",
        ("{home}/.cursor",),
        ("chats/*/*/store.db", "projects/*/agent-transcripts/**/*.jsonl"),
        re.compile(rb'\ASQLite format 3\0|\A\s*\{"role":"(?:user|assistant)","message":\{"content":'),
        "CURSOR_CONFIG_DIR",
    ),
    Agent(
        "copilot",
        "GitHub Copilot CLI",
        ("{home}/.copilot",),
        ("session-state/*/events.jsonl", "session-state/*.jsonl"),
        re.compile(rb'\A\s*\{"type":"session\.start","data":\{'),
        "COPILOT_HOME",
    ),
    Agent(
        "droid",
        "Factory Droid",
        ("{home}/.factory/sessions",),
        ("*.jsonl", "*/*.jsonl"),
        re.compile(
            rb'\A\s*\{"type":"(?:session_start","id":|(?:system|message|tool_call)","session_id":"[^"]*","timestamp":)'
        ),
    ),
    Agent(
        "aider",
        "Aider",
        ("{home}",),
        (".aider.chat.history.md", "*/.aider.chat.history.md"),
        re.compile(rb"^# aider chat started at ", re.MULTILINE),
    ),
    Agent(
        "specstory",
        "SpecStory",
        ("{home}",),
        (".specstory/history/*.md", "*/.specstory/history/*.md"),
        re.compile(rb"<!-- .*SpecStory|_\*\*User \("),
    ),
    Agent(
        "cline",
        "Cline",
        ("{config}/Code/User/globalStorage", "{config}/Cursor/User/globalStorage", "{support}/Code/User/globalStorage"),
        ("*/tasks/*/api_conversation_history.json",),
        re.compile(rb'\A\s*\[\s*\{\s*"role"\s*:'),
    ),
    Agent(
        "goose",
        "Goose",
        ("{data}/goose/sessions",),
        ("sessions.db",),
        re.compile(rb"\ASQLite format 3\0"),
    ),
)


def discover(home: str, env: Mapping[str, str]) -> Iterator[Unsupported]:
    """One finding per agent and place with at least one session in it; unreadable places are passed over."""
    folders = {
        "home": home,
        "data": env.get("XDG_DATA_HOME") or f"{home}/.local/share",
        "config": env.get("XDG_CONFIG_HOME") or f"{home}/.config",
        "support": f"{home}/Library/Application Support",
    }
    for agent in AGENTS:
        moved = agent.variable and env.get(agent.variable)
        for place in (moved,) if moved else (place.format(**folders) for place in agent.places):
            if found := _look(agent, Path(place)):
                yield found


def identify(path: str, head: bytes) -> Unsupported | None:
    """The agent that a single file belongs to, by its name and first bytes; None when no agent is known by it."""
    name = PurePath(PurePath(path).name)
    for agent in AGENTS:
        if any(name.match(PurePath(pattern).name) for pattern in agent.files) and agent.sign.search(head[:_HEAD]):
            return Unsupported(agent.name, agent.title, path, f"{name} begins as {agent.title} writes it")
    return None


def _look(agent: Agent, place: Path) -> Unsupported | None:
    files = (file for pattern in agent.files for file in _matching(place, pattern))
    for file in islice(files, _MOST_LOOKED_AT):
        if agent.sign.search(_head(file)):
            return Unsupported(agent.name, agent.title, str(place), f"{file} begins as {agent.title} writes it")
    return None


def _matching(place: Path, pattern: str) -> Iterator[Path]:
    try:
        yield from place.glob(pattern)
    except OSError:
        return


def _head(file: Path) -> bytes:
    try:
        with open_file(file) as opened:
            return opened.read(_HEAD)
    except OSError:
        return b""
