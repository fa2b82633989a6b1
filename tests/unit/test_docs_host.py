"""Everything that is offered inside an agent is documented: commands, tools, arguments, actions, outcomes and codes."""

import re
from pathlib import Path

import pytest

from backstory.engine.host.commands.table import COMMANDS, LATER
from backstory.engine.host.persistence.parameters import FORMS
from backstory.engine.host.tools import tools
from backstory.records.tools import Tool

ROOT = Path(__file__).resolve().parents[2]
ENGINE = ROOT / "src" / "backstory" / "engine"
CODE = re.compile(r"\"([a-z]+(?:-[a-z]+)+)\"")
RAISED = re.compile(
    r"(?:Unavailable|refused|unavailable|_LOST|_REFUSED|_CODES|_ERRORS)\b.*?(?:\)|\})$", re.DOTALL | re.MULTILINE
)


@pytest.fixture(scope="module")
def page() -> str:
    return (ROOT / "docs" / "reference" / "inside-the-agent.md").read_text(encoding="utf-8")


def test_every_command_is_documented(page: str) -> None:
    assert [one.name for one in COMMANDS if f"| `{one.name}` |" not in page] == []
    assert [name for name in LATER if f"| `{name}` |" not in page] == []


@pytest.mark.parametrize("tool", tools(), ids=lambda tool: tool.name)
def test_every_tool_is_documented(page: str, tool: Tool) -> None:
    told = page.split(f"### {tool.name}\n")[1].split("\n### ", maxsplit=1)[0]
    assert [name for name in tool.parameters["properties"] if f"| `{name}` |" not in told] == []
    guide = (ROOT / "docs" / "guide" / "inside-the-agent.md").read_text(encoding="utf-8")
    assert tool.name in guide or tool.name == "context_history_status"


def test_every_action_is_documented(page: str) -> None:
    assert [name for name in FORMS if f"| `{name}` |" not in page] == []


def test_every_code_is_documented(page: str) -> None:
    modules = [
        *(ENGINE / "host" / "tools").glob("*.py"),
        *(ENGINE / "host" / "persistence").glob("*.py"),
        ENGINE / "host" / "resume.py",
    ]
    text = "\n".join(path.read_text(encoding="utf-8") for path in modules)
    codes = {code for found in RAISED.finditer(text) for code in CODE.findall(found[0])}
    assert len(codes) > 30
    assert sorted(code for code in codes if f"`{code}`" not in page) == []
