"""Whole plans of a session that goes on: every call after the log has grown, with everything a plan can hold.

Each call brings the index up to date with all sessions on the machine, looks into the access, quotes earlier history,
chooses memories, plans, and keeps the manifest. Times are CPU seconds of all of that.
"""

import json
import statistics
from collections.abc import Iterator
from pathlib import Path

from backstory.engine.memory import commands
from backstory.engine.open import Engine
from backstory.engine.planning.plan import plan
from backstory.engine.project import access
from backstory.engine.project import operations as projects
from backstory.records.keeping import MemoryAddRequest
from backstory.records.planning import Planned, PlanRequest
from backstory.records.project_requests import ProjectIndexRequest
from bench import long, places, product
from bench.plan import timed
from bench.project_trees import derived_tree, real_tree
from bench.table import Row, ms

ENTRIES, CALLS, MEMORIES = 5_000, 60, 40
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
            times, last = _times(engine, request, path, lines[ENTRIES:])
            late = times[int(len(times) * 0.95)]
            what = f"whole plan, {label}, {tree.name} files, {held:,} entries"
            kinds = ", ".join(sorted(last.manifest.composition.kinds))
            spread = f"{ms(statistics.median(times))}, {ms(late)}"
            yield Row(what, spread, f"holds {kinds}", None, ms(goal), late < goal)
    finally:
        engine.close()


def _times(engine: Engine, request: PlanRequest, path: Path, more: list[bytes]) -> tuple[list[float], Planned]:
    """CPU seconds of each call, in order of size, and the last plan; the first one is warm-up."""
    made: list[Planned] = [plan(engine, request)]
    times: list[float] = []
    with path.open("ab") as file:
        for line in more:
            file.write(line)
            file.flush()
            if json.loads(line)["type"] == "user":
                times.append(timed(lambda: made.append(plan(engine, request))))
                del made[:-1]
    times.sort()
    return times, made[-1]
