"""Plans of ten real sessions, as one line a message: reviewed by eye once, and compared ever after.

`BACKSTORY_WRITE_GOLDEN=1` writes the files anew. They hold numbers, kinds and reasons, no text.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from backstory.engine import index, plan
from backstory.engine.open import Engine, open_engine
from backstory.records.indexing import IndexRequest
from backstory.records.planning import Planned, PlanRequest

GOLDEN = Path(__file__).parent / "plans"
SESSIONS = {
    # file below data/pi: budgets
    "v1-real/large-session.jsonl": (4_000, 16_000, 64_000),
    "v1-real/before-compaction.jsonl": (4_000, 16_000, 64_000),
    "1.6.0/context_edit_and_ext_compaction.jsonl": (1_000,),
    "1.6.0/mcp_codemode_nested.jsonl": (1_000, 20_000),
    "1.6.0/json_mode_image_truncation_errors_resumed.jsonl": (1_000, 20_000),
    "1.6.0/abort_steer_followup.jsonl": (700, 20_000),
    "1.6.0/rpc_tree_branch_label_custom_compact2.jsonl": (600, 20_000),
    "1.6.0/provider_retry_context_edits.jsonl": (700, 20_000),
    "1.6.0/overflow_recovery_and_error.jsonl": (1_000, 20_000),
    "1.6.0/print_tools_bash_read_edit.jsonl": (900, 20_000),
}


@pytest.fixture
def indexed(data: Path, tmp_path: Path, file: str) -> Iterator[Engine]:
    """A store of this file alone: two of the files hold sessions of one id."""
    with open_engine(tmp_path, env={"HOME": str(tmp_path)}) as engine:
        index.index(engine, IndexRequest(root=(f"pi={data / 'pi' / file}",), only_roots=True))
        yield engine


def session_of(engine: Engine) -> str:
    [(session,)] = engine.history.rows("SELECT source || ':' || id FROM sessions")
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


@pytest.mark.parametrize("file", SESSIONS)
def test_a_plan_is_what_it_was(indexed: Engine, file: str) -> None:
    session = session_of(indexed)
    found = "\n".join(
        told(plan.plan(indexed, PlanRequest(session=session, budget=budget, no_sync=True)), budget)
        for budget in SESSIONS[file]
    )
    path = GOLDEN / f"{Path(file).stem}.txt"
    if os.environ.get("BACKSTORY_WRITE_GOLDEN") == "1":
        path.write_text(found, encoding="utf-8")
    assert found == path.read_text(encoding="utf-8")
