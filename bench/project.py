"""Project knowledge against its floors, in one run: full index, unchanged synchronisation, one changed file, retrieval.

Usage: python -m bench.project [--files 5000] [--derived 50000] [--keep FOLDER] [--repeat 3]
Each line gives our figure, the floor measured beside it, and the ratio. CPU is process CPU with child processes.
"""

import argparse
import os
import random
import re
import resource
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from pathlib import Path

import apsw

from backstory.engine.project import access as engine
from backstory.engine.project import search as project_search
from backstory.index import project_named
from backstory.project.discover import ProjectLimits, discover, look
from backstory.store.project.database import ProjectStore
from bench.project_trees import derived_tree, real_tree

QUERIES = 60
_WORDS = re.compile(r"[A-Za-z_]\w{3,30}")


def cpu() -> float:
    """Seconds of CPU of this process and its finished children."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def timed(work: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall seconds of one call."""
    start, begun = cpu(), time.perf_counter()
    work()
    return cpu() - start, time.perf_counter() - begun


def floor_index(root: Path, paths: list[str], target: Path) -> None:
    """Read, hash, and insert 80-line windows with a step of 68 into a table and a full-text index: nothing else."""
    target.unlink(missing_ok=True)
    connection = apsw.Connection(str(target))
    connection.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL")
    connection.execute(
        "CREATE TABLE windows (id INTEGER PRIMARY KEY, path TEXT, hash TEXT, start INTEGER, stop INTEGER, text TEXT);"
        "CREATE VIRTUAL TABLE words USING fts5("
        "path, body, content='', contentless_delete=1, tokenize='porter unicode61');"
        "INSERT INTO words (words, rank) VALUES ('hashsize', 16777216)"
    )
    row = 0
    for batch in range(0, len(paths), 256):
        connection.execute("BEGIN")
        for path in paths[batch : batch + 256]:
            data = (root / path).read_bytes()
            digest = sha256(data).hexdigest()
            lines = data.decode("utf-8", "replace").split("\n")
            for start in range(0, max(1, len(lines) - 12), 68):
                row += 1
                text = "\n".join(lines[start : start + 80])
                connection.execute(
                    "INSERT INTO windows VALUES (?, ?, ?, ?, ?, ?)", (row, path, digest, start, start + 80, text)
                )
                connection.execute("INSERT INTO words (rowid, path, body) VALUES (?, ?, ?)", (row, path, text))
        connection.execute("COMMIT")
    connection.close()


def floor_sync(root: Path) -> None:
    """List the work tree as Git sees it and stat every path: nothing else."""
    arguments = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(arguments, cwd=root, check=True, capture_output=True).stdout
    prefix = str(root) + "/"
    for path in os.fsdecode(listed).split("\0"):
        if path:
            os.lstat(prefix + path)


def queries(root: Path, paths: list[str], seed: int = 3) -> list[str]:
    """Requests of 4 to 24 words taken from the files themselves."""
    chance = random.Random(seed)
    found: list[str] = []
    while len(found) < QUERIES:
        text = (root / chance.choice(paths)).read_text(encoding="utf-8", errors="replace")
        words = _WORDS.findall(text)
        if len(words) > 80:
            start = chance.randrange(len(words) - 40)
            found.append(" ".join(words[start : start + chance.choice((4, 6, 8, 12, 24))]))
    return found


def line(name: str, ours: float, floor: float | None, unit: str, limit: str) -> None:
    """One row of the table."""
    ratio = f"{ours / floor:5.2f}x" if floor else "      "
    beside = f"{floor:9.1f}" if floor else "         "
    print(f"{name:34s} {ours:9.1f} {beside} {unit:3s} {ratio}  {limit}")


def measure(root: Path, work: Path, repeat: int, bound: float) -> None:
    """All figures of one tree."""
    limits = ProjectLimits()
    project = engine.Project(Path(os.path.realpath(root)), work / "project.db", limits)
    paths = discover(project.root, limits, look(project.root, limits)).paths
    size = sum((root / path).stat().st_size for path in paths)
    print(f"\n{root.name}: {len(paths)} files, {size / 1e6:.1f} MB   ours     floor")
    ours, floor = [], []
    for _ in range(repeat):
        project.database.unlink(missing_ok=True)
        floor.append(timed(lambda: floor_index(project.root, paths, work / "floor.db"))[0])
        ours.append(timed(lambda: engine.index(project))[0])
    line("full index, CPU", min(ours) * 1e3, min(floor) * 1e3, "ms", "at most 5x, aim 2.5x")
    ours, floor = [], []
    for _ in range(max(5, repeat)):
        floor.append(timed(lambda: floor_sync(project.root))[0])
        ours.append(timed(lambda: engine.index(project))[0])
    line("unchanged synchronisation, CPU", min(ours) * 1e3, min(floor) * 1e3, "ms", "at most 1.5x")
    line("database / source", project.database.stat().st_size / 1e6, size / 1e6, "MB", "")
    changed(project, paths)
    retrieval(project, paths, bound)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    line("peak memory of this process", peak, None, "MB", "below 150")


def changed(project: engine.Project, paths: list[str]) -> None:
    """One named file with other content each time."""
    chance = random.Random(5)
    took = []
    with ProjectStore(str(project.database)) as store:
        for path in chance.sample(paths, 20):
            place = project.root / path
            before = place.read_bytes()
            place.write_bytes(before + b"\n# changed\n")
            took.append(timed(partial(project_named.refresh, project.job(store), [path], owner="bench"))[1])
            place.write_bytes(before)
            project_named.refresh(project.job(store), [path], owner="bench")
    line("one named changed file, p50 wall", statistics.median(took) * 1e3, None, "ms", "below 15")


def retrieval(project: engine.Project, paths: list[str], bound: float) -> None:
    """Searches with live hashing over an open store; of three rounds the best time of each request counts."""
    with ProjectStore(str(project.database)) as store:
        asked = queries(project.root, paths)
        for text in asked:
            project_search.search_in(project, store, text)
        wall = [1e9] * len(asked)
        used = [1e9] * len(asked)
        for _ in range(3):
            for number, text in enumerate(asked):
                begun, start = time.perf_counter(), time.process_time()
                project_search.search_in(project, store, text)
                used[number] = min(used[number], time.process_time() - start)
                wall[number] = min(wall[number], time.perf_counter() - begun)
    wall.sort()
    used.sort()
    line("retrieval p50, wall", wall[len(wall) // 2] * 1e3, None, "ms", "")
    line("retrieval p95, wall", wall[int(len(wall) * 0.95)] * 1e3, None, "ms", f"below {bound:.0f}")
    line("retrieval p95, CPU", used[int(len(used) * 0.95)] * 1e3, None, "ms", "")


def main() -> None:
    """Parses arguments, makes the trees, prints the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=5000)
    parser.add_argument("--derived", type=int, default=50_000)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--repeat", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-project-") as folder:
        home = options.keep or Path(folder)
        for name, make, count, bound in (
            ("real", real_tree, options.files, 15),
            ("derived", derived_tree, options.derived, 40),
        ):
            tree = home / f"{name}-{count}"
            if count and not tree.exists():
                tree.mkdir(parents=True)
                make(tree, count)
            if count:
                measure(tree, Path(folder), options.repeat if count <= 10_000 else 1, bound)


if __name__ == "__main__":
    main()
