"""Times things so that a noisy machine disturbs the answer little: CPU beside wall, contenders in turn, medians."""

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from bench.places import REPOSITORY, cache

T = TypeVar("T")


class Usage(NamedTuple):
    """CPU and wall seconds of one run."""

    cpu: float
    wall: float


class Finished(NamedTuple):
    """A process that ended: its whole CPU and wall seconds, and the JSON object it printed."""

    usage: Usage
    said: dict[str, Any]


def timed(body: Callable[[], object]) -> Usage:
    """The cost of one call in this process."""
    return answered(body)[0]


def answered(body: Callable[[], T]) -> tuple[Usage, T]:
    """The cost of one call in this process, and what it gave."""
    cpu, wall = time.process_time(), time.perf_counter()
    given = body()
    return Usage(time.process_time() - cpu, time.perf_counter() - wall), given


def compiled() -> dict[str, str]:
    """This environment, in which modules are found compiled as an installed program finds them."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPYCACHEPREFIX": str(cache("bytecode"))}


def process(command: Sequence[str | Path], env: Mapping[str, str] | None = None, cwd: Path = REPOSITORY) -> Finished:
    """Runs a command to its end; its CPU includes start-up and children."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, env=env or compiled(), cwd=cwd)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    last = done.stdout.decode().strip().rpartition("\n")[2]
    return Finished(Usage(cpu, wall), json.loads(last) if last.startswith("{") else {})


def job(name: str, **arguments: object) -> dict[str, Any]:
    """Runs one of `bench.jobs` in a fresh process of this interpreter and gives what it reports."""
    return process(job_command(name, **arguments)).said


def job_command(name: str, **arguments: object) -> list[str]:
    """The command line of such a process."""
    return [sys.executable, "-m", "bench.jobs", name, json.dumps(arguments)]


def in_turn(runs: int, contenders: Mapping[str, Callable[[], dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """What each contender reports, A B A B …, so that a drift of the machine hits all alike."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in contenders}
    for _ in range(runs):
        for name, run in contenders.items():
            found[name].append(run())
    return found


def median(values: Sequence[float]) -> float:
    return statistics.median(values)


def quantile(values: Sequence[float], share: float) -> float:
    """The value below which `share` of the values lie."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The median of the ratios run by run."""
    return median([a / b for a, b in zip(ours, theirs, strict=True)])


def peak_mb() -> float:
    """The most memory this process ever held, in MB.

    From the kernel's record of this program image where there is one: the rusage figure also counts the parent that
    started it.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
        return int(status.partition("VmHWM:")[2].split()[0]) / 1e3
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1e3 if sys.platform != "darwin" else 1e6)
