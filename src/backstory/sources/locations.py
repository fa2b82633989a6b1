"""Where each agent keeps its sessions, how their files end and how they are resumed, as plain data.

Every search needs this of every source, so it must cost next to nothing to import: no adapter, no decoder, no I/O.
How a file is recognised and read is its adapter's business (`sources.adapters`); which sources exist is the
registry's (`sources.registry`).
"""

import shlex
from collections.abc import Mapping

from backstory.records.base import Record


class Base(Record, frozen=True):
    """Default folders that hang on one environment variable, or on the user's home folder when that is None.

    In each path `{base}` stands for the value of the variable, or for the home folder. `tilde` says that the agent
    itself takes a leading `~` of the value for the home folder.
    """

    variable: str | None
    paths: tuple[str, ...]
    tilde: bool = False


class Location(Record, frozen=True):
    """One source as seen from outside its files.

    `suffixes` are the file name endings worth a look. Of `places` the first whose variable is set counts. `resume` is
    the agent's own command, in which `{id}` and `{path}` stand for the session's, quoted for the shell; None when there
    is none. `nested` says whether it also resumes subagents, whose ids read `parent/child`.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    places: tuple[Base, ...] = ()
    resume: str | None = None
    nested: bool = True


_ROWS = (
    Location(
        "claude-code",
        "Claude Code",
        (".jsonl",),
        (Base("CLAUDE_CONFIG_DIR", ("{base}/projects",)), Base(None, ("{base}/.claude/projects",))),
        "claude --resume {id}",
        nested=False,
    ),
    Location(
        "codex",
        "Codex CLI",
        (".jsonl", ".jsonl.zst"),
        (
            Base("CODEX_HOME", ("{base}/sessions", "{base}/archived_sessions")),
            Base(None, ("{base}/.codex/sessions", "{base}/.codex/archived_sessions")),
        ),
        "codex resume {id}",
    ),
    Location(
        "dsh",
        "DSH",
        (".jsonl", ".jsonl.zstd"),
        (Base("DSH_HOME", ("{base}/sessions",)), Base(None, ("{base}/.dsh/sessions",))),
        "dsh --profile tui --resume {id}",
    ),
    Location(
        "gemini",
        "Gemini CLI",
        (".json", ".jsonl"),
        (Base("GEMINI_CLI_HOME", ("{base}/.gemini/tmp",)), Base(None, ("{base}/.gemini/tmp",))),
        "gemini --resume {id}",
        nested=False,
    ),
    Location(
        "pi",
        "Pi",
        (".jsonl",),
        (
            Base("PI_CODING_AGENT_SESSION_DIR", ("{base}",), tilde=True),
            Base("PI_CODING_AGENT_DIR", ("{base}/sessions",), tilde=True),
            Base(None, ("{base}/.pi/agent/sessions",)),
        ),
        "pi --session {path}",
    ),
    Location("runtime", "Agent runtime", (".jsonl",)),
)

LOCATIONS: dict[str, Location] = {row.name: row for row in _ROWS}


def folders(location: Location, home: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """The default folders of a source for a user's home folder, the agent's environment variables honoured."""
    for place in location.places:
        base = env.get(place.variable) if place.variable else home
        if base:
            if place.tilde and (base == "~" or base.startswith("~/")):
                base = home + base[1:]
            return tuple(path.format(base=base) for path in place.paths)
    return ()


def resume(location: Location, session_id: str, cwd: str | None, path: str) -> str | None:
    """The shell line that resumes a session in its own agent, from its folder when that is known; None without one.

    Some agents look for a session only in the project of the current folder; for the others the folder is where the
    work goes on.
    """
    if location.resume is None or ("/" in session_id and not location.nested):
        return None
    command = location.resume.format(id=shlex.quote(session_id), path=shlex.quote(path))
    return f"cd {shlex.quote(cwd)} && {command}" if cwd else command
