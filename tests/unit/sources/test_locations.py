"""Where each agent's sessions lie and how they are resumed, agent by agent."""

import subprocess
import sys

import pytest

from backstory.sources.locations import LOCATIONS, folders, resume

FOLDERS: list[tuple[str, dict[str, str], list[str]]] = [
    ("claude-code", {}, ["/h/.claude/projects"]),
    ("claude-code", {"CLAUDE_CONFIG_DIR": "/c"}, ["/c/projects"]),
    ("codex", {}, ["/h/.codex/sessions", "/h/.codex/archived_sessions"]),
    ("codex", {"CODEX_HOME": "/c"}, ["/c/sessions", "/c/archived_sessions"]),
    ("codex", {"CODEX_HOME": ""}, ["/h/.codex/sessions", "/h/.codex/archived_sessions"]),
    ("codex", {"CODEX_HOME": "~/c"}, ["~/c/sessions", "~/c/archived_sessions"]),
    ("dsh", {}, ["/h/.dsh/sessions"]),
    ("dsh", {"DSH_HOME": "/d"}, ["/d/sessions"]),
    ("gemini", {}, ["/h/.gemini/tmp"]),
    ("gemini", {"GEMINI_CLI_HOME": "/g"}, ["/g/.gemini/tmp"]),
    ("pi", {}, ["/h/.pi/agent/sessions"]),
    ("pi", {"PI_CODING_AGENT_DIR": "/x"}, ["/x/sessions"]),
    ("pi", {"PI_CODING_AGENT_DIR": "~/p"}, ["/h/p/sessions"]),
    ("pi", {"PI_CODING_AGENT_DIR": "/x", "PI_CODING_AGENT_SESSION_DIR": "/y"}, ["/y"]),
    ("pi", {"PI_CODING_AGENT_SESSION_DIR": "~"}, ["/h"]),
    ("pi", {"PI_CODING_AGENT_SESSION_DIR": "~ada/y"}, ["~ada/y"]),
    ("runtime", {"HOME": "/x"}, []),
]

COMMANDS: list[tuple[str, str, str | None, str | None]] = [
    ("claude-code", "s", "/a b", "cd '/a b' && claude --resume s"),
    ("claude-code", "s", None, "claude --resume s"),
    ("claude-code", "s/agent-1", "/a", None),
    ("codex", "s", "/a b", "cd '/a b' && codex resume s"),
    ("codex", "s", None, "codex resume s"),
    ("dsh", "s t", "/a", "cd /a && dsh --profile tui --resume 's t'"),
    ("dsh", "s/t", None, "dsh --profile tui --resume s/t"),
    ("gemini", "s", "/a b", "cd '/a b' && gemini --resume s"),
    ("gemini", "boss/child", "/a", None),
    ("pi", "s", "/home/ada/my shop", "cd '/home/ada/my shop' && pi --session '/l/{id} s.jsonl'"),
    ("pi", "boss/child", None, "pi --session '/l/{id} s.jsonl'"),
    ("runtime", "run-1", "/home/ada", None),
]


@pytest.mark.parametrize(("name", "env", "expected"), FOLDERS)
def test_folders_follow_the_environment(name: str, env: dict[str, str], expected: list[str]) -> None:
    assert list(folders(LOCATIONS[name], "/h", env)) == expected


@pytest.mark.parametrize(("name", "session_id", "cwd", "expected"), COMMANDS)
def test_resuming_goes_through_the_folder_when_it_is_known(
    name: str, session_id: str, cwd: str | None, expected: str | None
) -> None:
    assert resume(LOCATIONS[name], session_id, cwd, "/l/{id} s.jsonl") == expected


def test_the_rows_need_records_and_nothing_else_of_the_product() -> None:
    code = (
        "import sys; from backstory.sources import locations;"
        "print(*sorted(name for name in sys.modules if name.startswith('backstory')))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, encoding="utf-8", check=True)
    assert ran.stdout.split() == [
        "backstory",
        "backstory.records",
        "backstory.records.base",
        "backstory.sources",
        "backstory.sources.locations",
    ]
