"""Figures of the first index of everything: CPU beside two floors and a peer, memory, size on disk."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from bench import clock, places, product
from bench.table import Row

PEER = "claude-session-search"


def real(runs: int) -> list[Row]:
    """The real sessions: ours and both floors in turn."""
    folder = places.real_sessions()
    ours, floor = places.cache("stores") / "real", places.cache("stores") / "floor.db"
    where = [[name, str(folder)] for name in product.REAL]

    def beside(kind: str) -> dict[str, Any]:
        return clock.job("floor", kind=kind, home=str(ours), store=str(floor), folder=str(folder))

    found = clock.in_turn(
        runs,
        {
            "ours": lambda: clock.job("index", home=str(ours), places=where),
            "bare": lambda: beside("bare"),
            "rich": lambda: beside("rich"),
        },
    )
    raw = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    rows = [
        _against(found, "bare", "cpu", 2.2),
        _against(found, "rich", "cpu", 1.3),
        _against(found, "bare", "wall", None),
        _against(found, "rich", "wall", None),
    ]
    memory = max(run["memory"] for run in found["ours"])
    share, least = (found[name][-1]["size"] / raw for name in ("ours", "bare"))
    return [
        *rows,
        Row("peak memory, real sessions", f"{memory:.0f} MB", "", None, "<= 120 MB", memory <= 120),
        Row(
            "size on disk / raw logs",
            f"{share:.3f}x",
            f"bare floor {least:.3f}x",
            share / least,
            "<= 0.35x",
            share <= 0.35,
        ),
    ]  # fmt: skip


def _against(found: dict[str, list[dict[str, Any]]], floor: str, figure: str, goal: float | None) -> Row:
    ours, theirs = ([run[figure] for run in found[name]] for name in ("ours", floor))
    ratio = clock.ratio(ours, theirs)
    return Row(
        f"full index of the real sessions, {figure}",
        f"{clock.median(ours):.2f} s (min {min(ours):.2f})",
        f"{floor} floor {clock.median(theirs):.2f} s (min {min(theirs):.2f})",
        ratio,
        f"<= {goal}x" if goal else "",
        ratio <= goal if goal else None,
    )


def peer(runs: int) -> list[Row]:
    """Messages per CPU second of the two commands, beside the best peer of the package index on the same logs."""
    folder = places.real_sessions()
    command = _peer()
    home = places.cache("peer-home")
    projects = home / ".claude" / "projects"
    projects.mkdir(parents=True, exist_ok=True)
    link = projects / "real"
    if not link.exists():
        link.symlink_to(folder)
    store = places.cache("stores") / "peer-ours"
    command_line = [sys.executable, "-m", "backstory", "index", "--only-roots", "--root", f"claude-code={folder}"]
    ours, theirs = [], []
    for _ in range(runs):
        for index in (home / ".cc-search").glob("index.db*"):
            index.unlink()
        theirs.append(clock.process([command, "--reindex"], env={**clock.compiled(), "HOME": str(home)}).usage)
        shutil.rmtree(store, ignore_errors=True)
        ours.append(clock.process(command_line, env={**clock.compiled(), "BACKSTORY_HOME": str(store)}).usage)
    messages = _messages(folder)
    ratio = clock.ratio([usage.cpu for usage in theirs], [usage.cpu for usage in ours])
    speed = [messages / clock.median([usage.cpu for usage in found]) for found in (ours, theirs)]
    return [Row("messages per CPU second", f"{speed[0]:,.0f}", f"{PEER} {speed[1]:,.0f}", ratio, "> 1x", ratio > 1)]


def _peer() -> Path:
    """The peer's command, installed into an environment of its own."""
    home = places.cache("peer-venv")
    command = home / "bin" / "cc-search"
    if not command.exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", home], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([home / "bin" / "pip", "install", "-q", PEER], check=True)
        except subprocess.CalledProcessError as error:
            raise places.MissingInputError(f"{PEER} cannot be installed: {error}") from error
    return command


def _messages(folder: Path) -> int:
    """Records that are messages of a person, an agent or a tool."""
    marks = (b'"type":"user"', b'"type":"assistant"')
    return sum(
        any(mark in line for mark in marks)
        for path in folder.glob("*.jsonl")
        for line in path.read_bytes().split(b"\n")
    )


def large(events: int) -> list[Row]:
    """Memory and time of a full index of a generated corpus."""
    store = places.cache("stores") / str(events)
    run = clock.job("index", home=str(store), places=[["dsh", str(places.corpus_logs(events))]])
    name = f"{events:,} events"
    speed = run["entries"] / run["cpu"]
    goal = "<= 200 MB" if events >= 1_000_000 else ""
    return [
        Row(f"full index, {name}, cpu", f"{run['cpu']:.1f} s, {speed:,.0f} entries/s"),
        Row(f"peak memory, {name}", f"{run['memory']:.0f} MB", "", None, goal, run["memory"] <= 200 if goal else None),
    ]
