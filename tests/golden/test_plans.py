"""Plans of real sessions of every agent, as one line a message: reviewed by eye once, and compared ever after.

`BACKSTORY_WRITE_GOLDEN=1` writes the files anew. They hold numbers, kinds and reasons, no text.
"""

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import zstandard

from backstory.engine.open import Engine, open_engine
from backstory.engine.planning import plan
from backstory.records.planning import Planned, PlanRequest
from tests.fakes.indexed import take_in

GOLDEN = Path(__file__).parent / "plans"
ARCHIVE = "claude-code/sessions.tar.zst"
CASES = {
    # name: source, file below the data, budgets, and the answer whose call is planned ("" for the next call)
    "pi-1-long": ("pi", "pi/v1-real/large-session.jsonl", (4_000, 16_000, 64_000), ""),
    "pi-1-before-compaction": ("pi", "pi/v1-real/before-compaction.jsonl", (4_000, 16_000, 64_000), ""),
    "pi-1.6-edits-and-compaction": ("pi", "pi/1.6.0/context_edit_and_ext_compaction.jsonl", (1_000,), ""),
    "pi-1.6-nested-tools": ("pi", "pi/1.6.0/mcp_codemode_nested.jsonl", (1_000, 20_000), ""),
    "pi-1.6-steered": ("pi", "pi/1.6.0/abort_steer_followup.jsonl", (700, 20_000), ""),
    "pi-1.6-tree": ("pi", "pi/1.6.0/rpc_tree_branch_label_custom_compact2.jsonl", (600, 20_000), ""),
    "pi-1.6-fork": ("pi", "pi/1.6.0/rpc_fork_1_forked.jsonl", (500, 20_000), ""),
    "pi-1.6-overflow": ("pi", "pi/1.6.0/overflow_recovery_and_error.jsonl", (1_000, 20_000), ""),
    "pi-0.84-tree": ("pi", "pi/0.84.3/rpc_tree_branch_label_custom_compact2.jsonl", (600, 20_000), ""),
    "pi-0.84-orphan": ("pi", "pi/0.84.3/truncated_line_then_resumed_orphan.jsonl", (20_000,), ""),
    "claude-code-short": ("claude-code", f"{ARCHIVE}:00ef13bd-99a1-4001-a829-09985a069ab2", (4_000, 16_000), ""),
    "claude-code-compacted": ("claude-code", f"{ARCHIVE}:03a1382e-ecd5-42c4-b3d4-5c659e165904", (8_000, 32_000), ""),
    "claude-code-before-compaction": (
        "claude-code",
        f"{ARCHIVE}:03a1382e-ecd5-42c4-b3d4-5c659e165904",
        (8_000, 32_000),
        "7549410b-db22-4dba-b354-f2d959da9374",
    ),
    "codex": ("codex", "fixtures/codex/small-v0.146.jsonl", (250, 20_000), ""),
    "gemini": ("gemini", "fixtures/gemini/jsonl_v040.jsonl", (100, 20_000), ""),
    "dsh": ("dsh", "dsh/c2k/--home-dev-proj03--/s000003-5ea1fcc0", (4_000, 32_000), ""),
}


@pytest.fixture(scope="module")
def unpacked(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sessions of the archive that are planned here; they stand near its beginning."""
    wanted = {file.partition(":")[2] for _, file, _, _ in CASES.values() if ":" in file}
    folder = tmp_path_factory.mktemp("sessions")
    with (
        (data / ARCHIVE).open("rb") as packed,
        zstandard.ZstdDecompressor(max_window_size=1 << 27).stream_reader(packed) as stream,
        tarfile.open(fileobj=stream, mode="r|") as archive,
    ):
        for member in archive:
            name = Path(member.name).stem
            found = archive.extractfile(member) if name in wanted else None
            if found is not None:
                (folder / f"{name}.jsonl").write_bytes(found.read())
                wanted.discard(name)
            if not wanted:
                break
    return folder


@pytest.fixture
def indexed(data: Path, unpacked: Path, tmp_path: Path, name: str) -> Iterator[Engine]:
    """A store of this session alone: two of the files hold sessions of one id."""
    source, file, _, _ = CASES[name]
    member = file.partition(":")[2]
    path = unpacked / f"{member}.jsonl" if member else data / file
    with open_engine(tmp_path, env={"HOME": str(tmp_path)}) as engine:
        take_in(engine, path, source)
        yield engine


def session_of(engine: Engine) -> str:
    [(session,)] = engine.history.rows("SELECT source || ':' || id FROM sessions WHERE origin <> 'subagent'")
    return str(session)


def told(answer: Planned, budget: int) -> str:
    planning = answer.manifest.planning
    head = f"budget {budget}: {planning.mode}, {answer.manifest.estimated_input} tokens"
    sent = [
        f"+ {message.kind:<9} {'-' if message.seq is None else message.seq:>5} {message.role:<9} {message.tokens:>6} "
        f"{','.join(block['type'] for block in message.content)}"
        for message in answer.messages
    ]
    out = [
        f"- {line.kind:<9} {'-' if line.seq is None else line.seq:>5} x{line.messages} {line.tokens} {line.reason}"
        for line in answer.manifest.excluded
    ]
    return "\n".join([head, *sent, *out, ""])


@pytest.mark.parametrize("name", CASES)
def test_a_plan_is_what_it_was(indexed: Engine, name: str) -> None:
    session = session_of(indexed)
    _, _, budgets, at = CASES[name]
    found = "\n".join(
        told(plan.plan(indexed, PlanRequest(session=session, at=at or None, budget=budget, no_sync=True)), budget)
        for budget in budgets
    )
    path = GOLDEN / f"{name}.txt"
    if os.environ.get("BACKSTORY_WRITE_GOLDEN") == "1":
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")
