"""The figure of a whole `backstory search` process beside an interpreter that does nothing."""

import sys
from pathlib import Path

from bench import clock, places, product
from bench.table import Row, ms

RUNS = 15
ALLOWED = 0.110


def figures() -> list[Row]:
    """A search over the real sessions with nothing new to read, warm cache, CPU."""
    home = places.cache("stores", "latency-real")
    with product.engine(home) as engine:
        product.fill(engine, [(name, places.real_sessions()) for name in product.REAL])
        product.settle(engine)
    env = {**clock.compiled(), "BACKSTORY_HOME": str(home), "HOME": str(places.cache("no-agents"))}
    search = [str(Path(sys.executable).with_name("backstory")), "search", "session id validation"]
    ours, bare = [], []
    for _ in range(RUNS):
        ours.append(clock.process(search, env).usage.cpu)
        bare.append(clock.process([sys.executable, "-c", "pass"], env).usage.cpu)
    extra = clock.median(ours) - clock.median(bare)
    return [
        Row(
            "backstory search, process, cpu", ms(clock.median(ours)), f"python -c pass {ms(clock.median(bare))}",
            clock.ratio(ours, bare), "<= bare + 110 ms", extra <= ALLOWED,
        )
    ]  # fmt: skip
