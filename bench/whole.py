"""Whole plans of a session that goes on: every call after the log has grown, with everything a plan can hold.

Each call brings the index up to date with all sessions on the machine, looks into the project, quotes earlier history,
chooses memories and plans. As with a host, the answer comes first: what is to be kept of it, its manifest above all, is
made and kept before the next call, and has a row of its own. Times are CPU seconds, and garbage is collected as seldom
as in the process that serves hosts.
"""

import gc
import json
import statistics
from collections.abc import Callable, Iterator
from pathlib import Path

from backstory.engine import transcripts
from backstory.engine.indexing.index import BUDGET_MS, sync
from backstory.engine.memory import commands
from backstory.engine.open import Engine
from backstory.engine.planning.plan import HostPlan, plan_given
from backstory.engine.project import access
from backstory.engine.project import operations as projects
from backstory.records.memory_requests import MemoryAddRequest
from backstory.records.planning import PlanRequest
from backstory.records.project_requests import ProjectIndexRequest
from bench import long, places, product
from bench.plan import timed
from bench.project_trees import derived_tree, real_tree
from bench.table import Row, ms

ENTRIES, CALLS, MEMORIES = 5_000, 60, 40
COLLECT_EVERY = 100_000  # as `backstory` itself sets it
ASKED = "the lock manager test in internal/storage fails since getUserConfig was renamed; see docs/locking.md and #421"


def figures() -> list[Row]:
    """A session of 5,000 entries, beside 5,000 files, and beside 50,000 files and 100,000 entries of other sessions."""
    return [
        *_grown("small", [], _tree("real", 5_000), 0.06),
        *_grown("large", [(name, places.real_sessions()) for name in product.REAL], _tree("derived", 50_000), 0.12),
    ]


def _tree(kind: str, files: int) -> Path:
    root = places.cache("trees") / f"{kind}-{files}"
    if not root.exists():
        (real_tree if kind == "real" else derived_tree)(root, files)
    return root


def _grown(name: str, others: list[tuple[str, Path]], tree: Path, goal: float) -> Iterator[Row]:
    lines = long.session(ENTRIES + 4 * CALLS).read_bytes().splitlines(keepends=True)
    folder = places.cache("whole", name, "logs")
    path = folder / f"{long.NAME}.jsonl"
    path.write_bytes(b"".join(lines[:ENTRIES]))
    engine = product.engine(places.cache("whole", name, "home"))
    try:
        product.fill(engine, [*others, ("claude-code", folder)])
        root = access.locate(engine.home, tree, exact=True)
        access.trust(engine.home, root, trusted=True)
        projects.index(engine, ProjectIndexRequest(root=str(root)))
        session = f"claude-code:{long.NAME}"
        for number in range(MEMORIES):
            commands.add(
                engine, MemoryAddRequest(session=session, text=(f"part {number} of the lock manager is done",))
            )
        [(held,)] = engine.history.rows("SELECT count(*) FROM entries")
        for label, budget in (("32,000 tokens", 32_000), ("a 200,000 window", None)):
            request = PlanRequest(
                session=session, budget=budget, window=200_000, project=str(root), request=ASKED, model="p/m"
            )
            path.write_bytes(b"".join(lines[:ENTRIES]))
            calls, last = _calls(engine, request, path, lines[ENTRIES:])
            plans, keeping = (sorted(times) for times in zip(*calls, strict=True))
            late = _late(plans)
            what = f"whole plan, {label}, {tree.name} files, {held:,} entries"
            kinds = ", ".join(sorted({message.kind for message in last.messages}))
            yield Row(
                what, f"{ms(statistics.median(plans))}, {ms(late)}", f"holds {kinds}", None, ms(goal), late < goal
            )
            spread = f"{ms(statistics.median(keeping))}, {ms(_late(keeping))}"
            yield Row(f"what is kept of it after the answer, {label}", spread, "its manifest and results")
    finally:
        engine.close()


def _late(times: list[float]) -> float:
    return times[int(len(times) * 0.95)]


def _calls(
    engine: Engine, request: PlanRequest, path: Path, more: list[bytes]
) -> tuple[list[tuple[float, float]], HostPlan]:
    """CPU seconds of each call until the answer, and of keeping what is left of it; the last answer.

    The first call is warm-up.
    """
    found: list[HostPlan] = []
    calls: list[tuple[float, float]] = []

    def one() -> None:
        left: list[Callable[[], object]] = []
        spent = timed(lambda: found.append(_planned(engine, request, left.append)))
        calls.append((spent, timed(lambda: [job() for job in left])))
        del found[:-1]

    collected = gc.get_threshold()
    gc.set_threshold(COLLECT_EVERY)
    try:
        one()
        with path.open("ab") as file:
            for line in more:
                file.write(line)
                file.flush()
                if json.loads(line)["type"] == "user":
                    one()
    finally:
        gc.set_threshold(*collected)
    return calls[1:], found[-1]


def _planned(engine: Engine, request: PlanRequest, later: Callable[[Callable[[], object]], None]) -> HostPlan:
    sync(engine, budget_ms=BUDGET_MS)
    transcript = transcripts.named(engine, request.session)
    return plan_given(engine, request, transcript, later=later)
