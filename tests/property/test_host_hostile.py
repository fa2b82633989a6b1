"""Whatever is typed or sent as arguments, the answer is an answer: bounded, writable, without terminal controls."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backstory.engine.host import commands
from backstory.engine.host import tools as host_tools
from backstory.engine.host.commands.table import COMMANDS, LATER
from backstory.engine.open import MEMORY, Engine
from backstory.records.host import HostCall, Say, Step
from tests.fakes.host import FakeHost

TOOLS = tuple(tool.name for tool in host_tools.tools())
NASTY = st.sampled_from(
    ["", "\0", "\ud800", "\x1b[2J", "\u202e", "x" * 50_000, "%s", "'; DROP TABLE entries;--", "../../etc/passwd", "-1",
     "[ds4:local-only]", "NaN", "rev_" + "a" * 60, "src_x", "*", '"', "(", "漢" * 100]
)  # fmt: skip
TEXT = st.one_of(NASTY, st.text(max_size=60))
VALUE = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXT, inner, max_size=4)),
    max_leaves=8,
)
FIELDS = sorted({name for tool in host_tools.tools() for name in tool.parameters["properties"]})
ARGUMENTS = st.one_of(st.dictionaries(st.sampled_from([*FIELDS, "other"]), VALUE, max_size=5), VALUE)
ACTIONS = next(t for t in host_tools.tools() if t.name == "context_persistence").parameters["properties"]["action"][
    "enum"
]
LIMITS = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeHost]:
    folder = tmp_path_factory.mktemp("hostile")
    with Engine(folder / "home", {"HOME": str(folder)}, database=MEMORY) as engine:
        host = FakeHost(engine, folder)
        host.say("why does parse_request fail?")
        host.say("parse_request raises ValueError", "assistant")
        yield host


def sound(step: Step) -> None:
    msgspec.json.encode(step)
    if isinstance(step, Say):
        assert len(step.text) <= 100_000
        assert step.level in {"info", "warning", "error"}


@given(line=TEXT)
@LIMITS
def test_any_line_is_answered(host: FakeHost, line: str) -> None:
    sound(commands.run(host.engine, host.call, line))


@given(command=st.sampled_from([*(one.name for one in COMMANDS), *LATER]), rest=st.lists(TEXT, max_size=4))
@LIMITS
def test_any_argument_of_a_command_is_answered(host: FakeHost, command: str, rest: list[str]) -> None:
    step = commands.run(host.engine, host.call, " ".join([command, *rest]))
    sound(step)
    if isinstance(step, Say):
        assert "\x1b" not in step.text
        assert step.text.count("\n") < 100


@given(tool=st.sampled_from([*TOOLS, "", "\0"]), arguments=ARGUMENTS)
@LIMITS
def test_any_arguments_of_a_tool_are_answered(host: FakeHost, tool: str, arguments: Any) -> None:
    sound(host_tools.run(host.engine, host.call, tool, arguments))


@given(action=st.sampled_from(ACTIONS), more=st.dictionaries(st.sampled_from(FIELDS), TEXT, max_size=5))
@LIMITS
def test_any_action_is_answered(host: FakeHost, action: str, more: dict[str, str]) -> None:
    before = host.mutations()
    sound(host_tools.run(host.engine, host.call, "context_persistence", {**more, "action": action}))
    assert host.mutations() == before


@given(
    session=st.sampled_from(["", "nobody", "s", "\0", "%"]),
    file=st.sampled_from([None, "", "/", "/nonexistent/x.jsonl", "/dev/null", "a\0b"]),
    cwd=st.sampled_from(["", "/", "relative", "a\0b"]),
    source=st.sampled_from(["pi", "nobody", ""]),
    line=st.sampled_from([command.name for command in COMMANDS]),
)
@LIMITS
def test_any_host_is_answered(host: FakeHost, session: str, file: str | None, cwd: str, source: str, line: str) -> None:
    call = HostCall(source=source, session=session, file=file, cwd=cwd, trusted=True)
    if line != "rebuild-index":
        sound(commands.run(host.engine, call, line))
    for tool in TOOLS:
        sound(host_tools.run(host.engine, call, tool, {"query": "ab", "action": "pins_list"}))


def test_a_file_that_is_no_session_is_told(host: FakeHost, tmp_path: Path) -> None:
    strange = tmp_path / "strange.jsonl"
    strange.write_bytes(b"\xff\xfe not a session\n" * 100)
    call = HostCall(session="s7", file=str(strange), cwd=str(tmp_path))
    for line in ("status", "pins", "explain", "history", "pin text"):
        sound(commands.run(host.engine, call, line))
