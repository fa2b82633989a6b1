"""What Backstory costs a running Pi: each `context` event beside a naive round trip, the start, and memory.

The extension itself runs, in Node, over a session file that grows by a tool call and its result before every event. The
time of planning alone is in the manifests; what is left is what the host pays for having a process beside it.
"""

import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from backstory.engine.open import open_engine
from backstory.engine.pi.extension import NOTE, SHIPPED
from backstory.records.protocol import PROTOCOL
from backstory.store import manifests
from bench.clock import process
from bench.places import REPOSITORY, MissingInputError
from bench.table import Row, ms

NODE = REPOSITORY / ".tools" / "node" / "node_modules" / ".bin" / "node"
SIZES = ((100, 100), (1_000, 1_000), (5_000, 4_000))
GOALS = {1_000: (10, 70), 5_000: (20, 140)}
CALLS = 60
MEMORY = 120
PROMPT = 160
SYLLABLES = ("ba", "con", "di", "fer", "gu", "lo", "mi", "nor", "pa", "qui", "ri", "sta", "tu", "ver", "wo", "zen")


def figures() -> list[Row]:
    """All figures."""
    if not NODE.exists():
        raise MissingInputError(f"no {NODE}; `make tools` installs it")
    return [*(row for entries, kilobytes in SIZES for row in events(entries, kilobytes)), ready()]


def events(entries: int, kilobytes: int) -> Iterator[Row]:
    """Events in a session of some size."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        log = session(root / "session.jsonl", entries, kilobytes)
        extension = root / "extension"
        shutil.copytree(SHIPPED, extension)
        (extension / NOTE).write_text(json.dumps({"python": sys.executable, "tools": []}), encoding="utf-8")
        watch = Watch(root / "data")
        env = {**os.environ, "BACKSTORY_HOME": str(root / "data"), "HOME": folder, "BACKSTORY_PI_DEADLINE_MS": "30000"}
        script = REPOSITORY / "bench" / "pi_host.mjs"
        arguments: list[str | Path] = [script, extension / "index.ts", log, sys.executable, str(CALLS)]
        said = process([NODE, "--no-warnings", *arguments], env=env).said
        highest = watch.stop()
        plans = planned(root / "data")
    name = f"context event, {entries:,} entries, {kilobytes:,} KB"
    first, *ours = said["ours"]
    beyond = [max(0.0, total - plan) for total, plan in zip(ours, plans[1:], strict=True)]
    near, total = GOALS.get(entries, (None, None))
    yield row(f"{name}: beyond the plan, p95", p95(beyond), p95(said["whole"][1:]), near)
    yield row(f"{name}: in all, p95", p95(ours), p95(said["whole"][1:]), total)
    cpu = [statistics.median(said[side][1:]) for side in ("here", "beside")]
    quiet = [sorted(times)[len(times) // 20] for times in (ours, plans, said["whole"][1:])]
    yield Row(f"{name}: CPU, median", f"{ms(cpu[0] / 1e3)} in Node, {ms(cpu[1] / 1e3)} in Python, planning included")
    told = f"{ms(quiet[0] / 1e3)}, plan {ms(quiet[1] / 1e3)}"
    yield Row(f"{name}: least disturbed, p5", told, f"{ms(quiet[2] / 1e3)} there and back")
    yield Row(f"{name}: medians", f"{middle(ours)}, plan {middle(plans)}", f"{middle(said['whole'])} there and back")
    yield Row(f"{name}: first event", ms(first / 1e3), goal="", met=None)
    yield Row(f"{name}: memory", f"{highest:.0f} MB", goal=f"< {MEMORY} MB", met=highest < MEMORY)


def ready() -> Row:
    """From starting the process to its first answer, beside an interpreter that does nothing."""
    ours, bare = [], []
    for _ in range(7):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", "pass"], check=True)
        bare.append(time.perf_counter() - start)
        ours.append(_greeting())
    beside = statistics.median(ours) - statistics.median(bare)
    name = "start to ready, beside a bare interpreter"
    return Row(name, ms(beside), ms(statistics.median(bare)), goal="< 400 ms", met=beside < 0.4)


def _greeting() -> float:
    hello = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocol": PROTOCOL}}
    start = time.perf_counter()
    with subprocess.Popen(
        [sys.executable, "-P", "-m", "backstory", "rpc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as server:
        if server.stdin is None or server.stdout is None:
            raise RuntimeError("no pipes")
        server.stdin.write(json.dumps(hello).encode() + b"\n")
        server.stdin.flush()
        server.stdout.readline()
        return time.perf_counter() - start


def session(path: Path, entries: int, kilobytes: int) -> Path:
    """A session file of Pi with so many messages and so much text in them."""
    chars = kilobytes * 1_000 // entries
    dice = random.Random(entries)
    known = [f"{a}{b}{c}" for a in SYLLABLES for b in SYLLABLES for c in SYLLABLES]
    weights = [1 / (rank + 3) for rank in range(len(known))]
    header = {"type": "session", "version": 3, "id": "bench", "timestamp": "2026-11-29T10:00:00.000Z"}
    lines: list[dict[str, Any]] = [{**header, "cwd": str(path.parent)}]
    parent = None
    for number in range(entries):
        turn, part = divmod(number, 4)
        size = PROMPT if part == 0 else (4 * chars - PROMPT) // 3
        words = f"turn {turn} about module{turn}.handler " + " ".join(dice.choices(known, weights, k=size // 6))
        text = [{"type": "text", "text": words[:size]}]
        call = {"type": "toolCall", "id": f"c{turn}", "name": "read", "arguments": {"path": f"src/module{turn}.py"}}
        message: dict[str, Any] = {"role": "user", "content": text}
        if part == 1:
            message = {"role": "assistant", "content": [*text, call], "stopReason": "toolUse"}
        elif part == 2:
            message = {"role": "toolResult", "toolCallId": f"c{turn}", "toolName": "read", "content": text}
        elif part == 3:
            message = {"role": "assistant", "content": text, "stopReason": "stop"}
        message["timestamp"] = 1_795_946_400_000 + number
        id_ = f"{number:08x}"
        entry = {"type": "message", "id": id_, "parentId": parent, "timestamp": "2026-11-29T10:00:01.000Z"}
        lines.append({**entry, "message": message})
        parent = id_
    path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines), encoding="utf-8")
    return path


def planned(home: Path) -> list[float]:
    """Milliseconds of planning alone, of every call in its order."""
    with open_engine(home) as engine:
        rows = reversed(manifests.listed(engine.history, None, CALLS))
        found = [manifests.get(engine.history, one.id) for one in rows]
    return [one.planning.duration_ms for one in found if one is not None]


class Watch:
    """Looks at how much memory the process of one data folder takes, until it is stopped."""

    def __init__(self, home: Path) -> None:
        self._mark = f"BACKSTORY_HOME={home}".encode()
        self._most = 0.0
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def stop(self) -> float:
        """The most it took, in MB."""
        self._end.set()
        self._thread.join()
        return self._most

    def _look(self) -> None:
        while not self._end.wait(0.25):
            for folder in Path("/proc").iterdir():
                try:
                    words = (folder / "cmdline").read_bytes().split(b"\0")
                    if b"rpc" in words and self._mark in (folder / "environ").read_bytes().split(b"\0"):
                        status = (folder / "status").read_text(encoding="utf-8")
                        self._most = max(self._most, int(status.split("VmHWM:")[1].split()[0]) / 1024)
                except (OSError, IndexError, ValueError):
                    continue


def row(name: str, ours: float, beside: float, goal: int | None) -> Row:
    """A time in ms beside that of a naive round trip."""
    met = None if goal is None else ours < goal
    return Row(name, ms(ours / 1e3), ms(beside / 1e3), ours / beside, f"< {goal} ms" if goal else "", met)


def p95(values: list[float]) -> float:
    """The value that one in twenty exceeds."""
    return sorted(values)[int(len(values) * 0.95)]


def middle(values: list[float]) -> str:
    """The median as text."""
    return ms(statistics.median(values) / 1e3)
