"""Figures beside the DSH session-query service: first search and repeat search over the same corpus.

The peer needs Node 24 and takes about ten minutes at 200,000 events, so what it measured is kept in the cache with its
date and machine, and the table says when that was. Ours is measured every time. `python -m bench.peer_dsh EVENTS`
measures the peer again.
"""

import json
import platform
import shutil
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from typing import Any

from bench import clock, places, product
from bench.table import Row, ms

PACKAGES = ("node@24", "@deepseek-ai/dsh-session-query-sqlite", "@deepseek-ai/dsh-session-persistence-jsonl")
GOAL = 20.0
GOAL_AT = 200_000


def figures(events: int) -> list[Row]:
    """First and repeat search at one size."""
    theirs = _measured(events)
    queries = places.corpus_queries(events)
    home, root = places.cache("stores", f"dsh-{events}"), _written(events)
    engine = product.fresh(home)

    def first() -> None:
        product.fill(engine, [("dsh", root)])
        product.search(engine, queries[0], sessions=True)

    def again(query: str) -> None:
        product.refresh(engine)
        product.search(engine, query, sessions=True)

    begin = clock.timed(first)
    repeats = [clock.timed(partial(again, query)) for query in queries]
    engine.close()
    walls, cpus = [one.wall for one in repeats], [one.cpu for one in repeats]
    mean_cpu = sum(cpus) / len(cpus)
    name, when = f"{events:,} events", f"(peer, measured on {theirs['date']})"
    repeated = theirs["search_sessions_ms"]
    pairs = [
        ("first search, wall", begin.wall, theirs["first_search_ms"] / 1e3),
        ("first search, cpu", begin.cpu, theirs["first_search_cpu_ms"] / 1e3),
        ("repeat search, wall p50", clock.median(walls), repeated["p50"] / 1e3),
        ("repeat search, wall p95", clock.quantile(walls, 0.95), repeated["p95"] / 1e3),
        ("repeat search, cpu mean", mean_cpu, theirs["search_sessions_cpu_ms_mean"] / 1e3),
    ]
    return [_row(f"{what}, {name}", ours, peer, when, promised=events >= GOAL_AT) for what, ours, peer in pairs]


def _row(figure: str, ours: float, peer: float, when: str, *, promised: bool) -> Row:
    faster = peer / ours
    goal = f">= {GOAL:.0f}x faster" if promised else ""
    return Row(figure, ms(ours), f"{ms(peer)} {when}", faster, goal, faster >= GOAL if promised else None)


def measure(events: int) -> dict[str, Any]:
    """Runs the peer and keeps what it says."""
    folder = _installed()
    root = _written(events)
    database = folder / f"{events}.db"
    for suffix in ("", "-wal", "-shm"):
        Path(f"{database}{suffix}").unlink(missing_ok=True)
    out = _kept(events)
    queries = f"{places.corpus(events)}.queries.jsonl"
    given: list[str | Path] = ["--root", root, "--db", database, "--queries", queries, "--out", out, "--skip", "new"]
    node = folder / "node_modules/.bin/node"
    subprocess.run([node, "bench.mjs", "bench", *given], check=True, cwd=folder)
    found: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    found |= {"date": time.strftime("%Y-%m-%d"), "machine": f"{platform.machine()}, {platform.system()}"}
    out.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return found


def _measured(events: int) -> dict[str, Any]:
    kept = _kept(events)
    found: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
    return found if "date" in found else measure(events)


def _kept(events: int) -> Path:
    return places.cache("dsh") / f"{events}.peer.json"


def _installed() -> Path:
    """The folder with the peer's packages and the scripts that drive it."""
    folder = places.cache("dsh")
    for script in ("bench.mjs", "lib.mjs"):
        shutil.copyfile(places.generator() / script, folder / script)
    if not (folder / "node_modules/.bin/node").exists():
        if not shutil.which("npm"):
            raise places.MissingInputError("npm is not here to install the DSH packages")
        subprocess.run(["npm", "init", "-y"], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        subprocess.run(["npm", "install", *PACKAGES], check=True, cwd=folder, stdout=subprocess.DEVNULL)
    return folder


def _written(events: int) -> Path:
    """The corpus as the peer's own writer stores it."""
    root = places.cache("dsh") / f"{events}-root"
    if not root.exists():
        folder = _installed()
        fresh = places.cache("dsh") / f"{events}-fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        given: list[str | Path] = ["--corpus", f"{places.corpus(events)}.corpus.jsonl", "--root", fresh]
        node = folder / "node_modules/.bin/node"
        subprocess.run([node, "bench.mjs", "store", *given], check=True, cwd=folder, stdout=subprocess.DEVNULL)
        fresh.rename(root)
    return root


if __name__ == "__main__":
    for count in sys.argv[1:]:
        print(json.dumps(measure(int(count)), indent=1))
