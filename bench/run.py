"""`python -m bench.run [FIGURE ...]`: measures the figures named (all of them without a name) and prints one table."""

import argparse
import os
import platform
import sys
from collections.abc import Callable

from bench import (
    evidence,
    full_index,
    known,
    latency,
    needles,
    peer_dsh,
    pi,
    plan,
    query,
    replay,
    resync,
    soak,
    startup,
    whole,
)
from bench.places import MissingInputError
from bench.table import Row, render

Options = argparse.Namespace
FIGURES: dict[str, Callable[[Options], list[Row]]] = {
    "index": lambda options: full_index.real(options.runs),
    "peer-index": lambda options: full_index.peer(min(options.runs, 2)),
    "unchanged": lambda _: resync.unchanged(),
    "append": lambda _: resync.appended(),
    "latency": lambda options: [*latency.real(), *(row for n in options.events[2:] for row in latency.generated(n))],
    "startup": lambda _: startup.figures(),
    "planner": lambda _: [*plan.pure(), *plan.memory(), *plan.artifact(), *plan.privacy()],
    "plan": lambda _: plan.whole(),
    "whole": lambda _: whole.figures(),
    "prefix": lambda _: plan.prefix(),
    "replay": lambda options: replay.figures(options.part),
    "retention": lambda _: plan.kept(),
    "evidence": lambda _: evidence.figures(),
    "query": lambda options: [row for events in options.events for row in query.figures(events)],
    "pi": lambda _: pi.figures(),
    "soak": lambda _: soak.figures(60),
    "needles": lambda _: needles.figures(),
    "known": lambda options: known.figures(options.events[0]),
    "dsh": lambda options: [row for events in options.events[:2] for row in peer_dsh.figures(events)],
    "large": lambda options: [row for events in options.events for row in full_index.large(events)],
}


def main() -> int:
    """Prints the table; figures whose inputs are not here say so and are left out."""
    parser = argparse.ArgumentParser(prog="bench.run", description="Measures Backstory beside its floors and peers.")
    parser.add_argument("figures", nargs="*", metavar="FIGURE", help=f"one or more of: {', '.join(FIGURES)}")
    parser.add_argument("--runs", type=int, default=3, help="runs of each whole-index contender (default 3)")
    parser.add_argument("--part", default="1/1", metavar="K/N", help="only so much of the replay (default 1/1)")
    parser.add_argument("--large", action="store_true", help="also with the corpus of 1,000,000 events")
    options = parser.parse_args()
    if unknown := set(options.figures) - FIGURES.keys():
        parser.error(f"unknown figure {', '.join(sorted(unknown))}")
    options.events = [20_000, 200_000, *([1_000_000] if options.large else [])]
    rows: list[Row] = []
    failed = False
    for name in options.figures or FIGURES:
        print(f"measuring {name} …", file=sys.stderr, flush=True)
        try:
            rows += FIGURES[name](options)
        except MissingInputError as reason:
            rows.append(Row(name, "not measured", str(reason)))
        except Exception as error:  # noqa: BLE001 - one broken figure must not cost the others
            failed = True
            rows.append(Row(name, "FAILED", f"{type(error).__name__}: {error}"))
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{platform.machine()}, {os.cpu_count()} cores, load {load}, Python {platform.python_version()}\n")
    print(render(rows))
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
