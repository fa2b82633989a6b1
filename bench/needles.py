"""Needles: does the first result for a name out of the real logs hold that name as it is written?

The names hold `_`, `-`, `.`, `/`, `:` or letters of both cases, and are drawn from all that was stored of the logs.
Each is asked as a ranked query of all sessions.
"""

import random
import re

from backstory.engine.open import Engine
from bench import latency, product
from bench.table import Row

NAMES = 200
GOAL = 196
NAME = re.compile(r"[A-Za-z0-9]+(?:[_./:-]+[A-Za-z0-9]+)+|[a-z]+[A-Z]\w+")
LENGTHS = range(5, 60)


def figures() -> list[Row]:
    """One row: how many of the first results hold the name."""
    with product.engine(latency.real_store()) as engine:
        names = _names(engine)
        found = sum(_held(engine, name) for name in names)
    return [Row(f"first result holds the name ({len(names)} names)", f"{found}", goal=f">= {GOAL}", met=found >= GOAL)]


def _names(engine: Engine) -> list[str]:
    draw = random.Random(29)
    [(top,)] = engine.history.rows("SELECT max(id) FROM texts")
    found: dict[str, None] = {}
    while len(found) < NAMES:
        for (text,) in engine.history.rows("SELECT text FROM texts WHERE id >= ? LIMIT 1", (draw.randint(1, top),)):
            names = [name for name in NAME.findall(text) if len(name) in LENGTHS]
            if names:
                found[draw.choice(names)] = None
    return list(found)


def _held(engine: Engine, name: str) -> bool:
    items = product.search(engine, name).items[:1]
    sql = (
        "SELECT text FROM sessions JOIN entries ON entries.session = sessions.key JOIN texts ON texts.id = entries.id"
        " WHERE sessions.path = ? AND entries.seq = ?"
    )
    return any(name in text for hit in items for (text,) in engine.history.rows(sql, (hit.path, hit.seq)))  # type: ignore[union-attr]
