"""Figures of staying current: nothing changed, and one line appended to a session of any length."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from backstory.engine.open import Engine
from bench import clock, places, product
from bench.clock import Usage
from bench.table import Row, ms

RUNS = 30
SIZES_MB = (1, 10, 100)
WORDS = ("retry", "buffer", "session", "index", "cursor", "budget", "parser", "branch", "commit", "handler", "timeout")


class Series(NamedTuple):
    """CPU and wall seconds of repeated runs."""

    cpu: list[float]
    wall: list[float]


def unchanged() -> list[Row]:
    """A pass over the real sessions that finds nothing new, and the bare look at the same files, in turn."""
    folder = places.real_sessions()
    with _filled("real", [(name, folder) for name in product.REAL]) as engine:
        product.refresh(engine)
        ours, look = _alternating(RUNS, lambda: product.refresh(engine), lambda: _look(folder))
    bound = 1.5 * clock.median(look.wall) + 0.010
    wall, cpu = (clock.median(values) for values in (ours.wall, ours.cpu))
    beside = f"scandir + stat {ms(clock.median(look.wall))}"
    return [
        Row(
            "re-sync, nothing changed, wall", ms(wall), beside, clock.ratio(ours.wall, look.wall),
            f"<= 1.5x + 10 ms = {ms(bound)}", wall <= bound,
        ),
        Row("re-sync, nothing changed, cpu", ms(cpu), f"scandir + stat {ms(clock.median(look.cpu))}"),
    ]  # fmt: skip


def appended() -> list[Row]:
    """One line more in a session of 1, 10 and 100 MB, in a store that also holds the real sessions."""
    real = [(name, places.real_sessions()) for name in product.REAL]
    folder = places.cache("growing")
    logs = {size: _long_session(folder, size) for size in SIZES_MB}
    rows = []
    with _filled("growing", [*real, ("claude-code", folder)]) as engine:
        product.refresh(engine)
        for size, path in logs.items():
            run = _append_and_refresh(engine, path)
            rows.append(
                Row(
                    f"one line appended to {size} MB, wall",
                    f"p50 {ms(clock.median(run.wall))}, p95 {ms(clock.quantile(run.wall, 0.95))}",
                    f"cpu p50 {ms(clock.median(run.cpu))}",
                    None,
                    "p50 <= 10 ms",
                    clock.median(run.wall) <= 0.010,
                )
            )
    return rows


def _filled(name: str, given: list[tuple[str, Path]]) -> Engine:
    engine = product.engine(places.cache("stores", name))
    product.fill(engine, given)
    return engine


def _look(folder: Path) -> None:
    with os.scandir(folder) as entries:
        for entry in entries:
            entry.stat()


def _alternating(runs: int, ours: Callable[[], object], theirs: Callable[[], object]) -> tuple[Series, Series]:
    found: tuple[list[Usage], list[Usage]] = ([], [])
    for _ in range(runs):
        found[0].append(clock.timed(ours))
        found[1].append(clock.timed(theirs))
    first, second = (Series([one.cpu for one in usages], [one.wall for one in usages]) for usages in found)
    return first, second


def _append_and_refresh(engine: Engine, path: Path) -> Series:
    usages = []
    for _ in range(RUNS):
        with path.open("r+b") as file:
            file.seek(-4096, os.SEEK_END)
            last = json.loads(file.read().rstrip(b"\n").rpartition(b"\n")[2])
            number = last["number"] + 1
            file.write(_line(path.stem, number))
        usages.append(clock.timed(lambda: product.refresh(engine)))
        page = product.search(engine, f"needle{number}in{path.stem}", exact=True)
        if len(page.items) != 1:
            raise AssertionError(f"the line appended to {path} was not found")
    return Series([one.cpu for one in usages], [one.wall for one in usages])


def _long_session(folder: Path, megabytes: int) -> Path:
    """A session log of about this size, made anew: earlier runs have appended to it."""
    path = folder / f"{megabytes}mb.jsonl"
    with path.open("wb") as file:
        number = 0
        while file.tell() < megabytes * 1_000_000:
            number += 1
            file.write(_line(path.stem, number))
    return path


def _line(session: str, number: int) -> bytes:
    """Record `number` of a session: people, agents, calls and results take turns, texts are about 500 characters."""
    text = " ".join(WORDS[(number * step) % len(WORDS)] for step in range(1, 80))
    text = f"needle{number}in{session} {text}"
    call = f"call{number - number % 4}"
    content: object = text
    match number % 4:
        case 2:
            content = [{"type": "tool_use", "id": f"call{number + 2}", "name": "Bash", "input": {"command": text}}]
        case 3:
            content = [{"type": "text", "text": text}]
        case 0:
            content = [{"type": "tool_result", "tool_use_id": call, "content": text}]
    role = "assistant" if number % 4 in {2, 3} else "user"
    record = {
        "parentUuid": f"{session}-{number - 1}" if number > 1 else None, "sessionId": session,
        "uuid": f"{session}-{number}", "type": role, "timestamp": f"2026-01-02T03:04:05.{number % 1000:03d}Z",
        "cwd": "/home/dev/project", "number": number, "message": {"role": role, "content": content},
    }  # fmt: skip
    return json.dumps(record, separators=(",", ":")).encode() + b"\n"
