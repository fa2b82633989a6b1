"""Work that is measured in a process of its own: `python -m bench.jobs NAME JSON` prints one JSON object.

Each job reports CPU and wall seconds of the work alone, without start-up, and the peak memory of the process.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench import floors, product
from bench.clock import Usage, peak_mb, timed


def index(home: str, places: list[list[str]]) -> dict[str, Any]:
    """A full index of some (source, folder) places by the product."""
    engine = product.fresh(Path(home))
    given = [(name, Path(folder)) for name, folder in places]
    usage = timed(lambda: product.fill(engine, given))
    memory = peak_mb()
    entries = engine.history.db.execute("SELECT count(*) FROM entries").fetchall()[0][0]
    size = product.settle(engine)
    engine.close()
    return {**_usage(usage), "memory": memory, "size": size, "entries": entries}


def floor(kind: str, home: str, store: str, folder: str) -> dict[str, Any]:
    """The bare or the rich floor under such an index."""
    given = floors.strings(product.database(Path(home)))
    files = sorted(path for path in Path(folder).rglob("*") if path.suffix in {".jsonl", ".json"})
    path = Path(store)
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)
    work = floors.bare if kind == "bare" else floors.rich
    usage = timed(lambda: work(files, given, path))
    return {**_usage(usage), "memory": peak_mb(), "size": path.stat().st_size}


def _usage(usage: Usage) -> dict[str, float]:
    return {"cpu": usage.cpu, "wall": usage.wall}


JOBS: dict[str, Callable[..., dict[str, Any]]] = {"index": index, "floor": floor}

if __name__ == "__main__":
    print(json.dumps(JOBS[sys.argv[1]](**json.loads(sys.argv[2]))))
