"""The guide shows every operation, and its examples do what it says."""

import inspect
import re
import shlex
from pathlib import Path

import pytest

from backstory.engine import operations
from backstory.engine.query.service import QueryService
from backstory.surfaces.cli.main import main
from tests.fakes.corpus import START, assistant, header, lines, result, said, user

GUIDE = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "query.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```\n\$ backstory (query .*?)\n(.*?)```", GUIDE, re.DOTALL)
PROGRAMS = re.findall(r"```python\n(.*?)```", GUIDE, re.DOTALL)


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The two sessions that the guide speaks of, indexed."""
    call = {"type": "tool/call", "data": {"callId": "c1", "name": "run_command", "arguments": "pytest -k retry"}}
    summary = user("Summary: the retry loop resets its counter in send().", sourceEventSeqs=[0, 1],
                   surfaceOp={"op": "replace", "start": 0, "end": 1})  # fmt: skip
    answer = assistant(said("The retry loop resets its own counter. I will run the tests."))
    title = {"type": "session/title", "data": {"title": "Retry loop never gives up"}}
    first = [user("Why does it never give up?"), answer, call, result("1 failed: test_retry_gives_up"), summary, title]
    second = [user("Fix the counter of the retry loop.")]
    for id_, events, more in (("7c1e-shop", first, {}), ("91ab-shop", second, {"parentSession": "7c1e-shop"})):
        path = tmp_path / "store" / id_ / "session.jsonl"
        path.parent.mkdir(parents=True)
        created = START + 60_000 * len(more)
        path.write_text(header(id_, created, cwd="/home/ada/shop", **more) + lines(id_, events), encoding="utf-8")
    monkeypatch.setenv("BACKSTORY_HOME", str(tmp_path / "home"))
    assert main(["index", "--root", f"dsh={tmp_path / 'store'}", "--only-roots"]) == 0
    capsys.readouterr()


@pytest.mark.parametrize(("command", "shown"), EXAMPLES)
def test_examples_answer_as_shown(store: None, capsys: pytest.CaptureFixture[str], command: str, shown: str) -> None:
    assert main([*shlex.split(command), "--json"]) == 0
    answer = capsys.readouterr().out
    at = 0
    for line in shown.splitlines():
        assert line in answer[at:], line
        at = answer.index(line, at)


SPOKEN = {
    "list-sessions": "Fix the counter",
    "read-session": "    Fix the counter of the retry loop.",
    "list-events": "#",
    "read-event": "▶ #1 ",
    "read-surface": "    1 failed: test_retry_gives_up",
    "read-titles": "nobody  SESSION_NOT_FOUND",
    "trace-event": "  replaced by: #4",
    "trace-session": "◀\n    Fix the counter",
    "search-sessions": "    The retry loop resets its own counter.",
    "search-events": "    ",
}


@pytest.mark.parametrize("command", [command for command, _ in EXAMPLES])
def test_a_person_reads_text(store: None, capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert main(shlex.split(command)) == 0
    answer = capsys.readouterr().out
    assert SPOKEN[command.split()[1]] in answer
    assert '":' not in answer


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_run(store: None, program: str) -> None:
    exec(compile(program, "guide", "exec"), {})  # noqa: S102


def test_every_operation_is_shown() -> None:
    names = {operation.name for operation in operations.OPERATIONS if operation.name.startswith("query ")}
    assert names == {" ".join(command.split()[:2]) for command, _ in EXAMPLES}


def test_every_method_is_named() -> None:
    methods = {name for name, _ in inspect.getmembers(QueryService, inspect.isfunction) if not name.startswith("_")}
    assert {name for name in methods - {"close", "conflicts"} if f"query.{name}(" not in GUIDE} == set()
