"""Figures of search latency in process, snippets included: short and long queries, and exact text.

Short queries are drawn from the vocabulary of the store itself, by how many entries hold a word, common words included.
The floor is one unscored FTS5 lookup of the rarest word of the same query.
"""

import random
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from backstory.engine.open import Engine
from bench import clock, places, product
from bench.table import Row, ms

SHORT = 60
WHOLE = re.compile(r"\W\w{4,}\W")
BANDS = ((0.0, 0.001), (0.003, 0.03), (0.1, 1.0))


def real_store() -> Path:
    """The data folder that holds the real sessions, filled where it is not, and settled."""
    home = places.cache("stores", "latency-real")
    with product.engine(home) as engine:
        product.fill(engine, [(name, places.real_sessions()) for name in product.REAL])
        product.settle(engine)
    return home


def real() -> list[Row]:
    """Over the real sessions."""
    with product.engine(real_store()) as engine:
        rows = _row(engine, "short queries, real", _short(engine), (None, 10))
        rows += _row(engine, "commit messages, real", places.commit_messages(), (20, 60))
        rows += _row(engine, "--exact with a whole word, real", _literals(engine), (None, 15), exact=True)
    return rows


def generated(events: int) -> list[Row]:
    """Over a generated corpus."""
    home = places.cache("stores", f"query-{events}")
    with product.engine(home) as engine:
        product.fill(engine, [("dsh", places.corpus_logs(events))])
        product.settle(engine)
    large = events >= 1_000_000
    with product.engine(home) as engine:
        name = f"{events:,} events"
        rows = _row(engine, f"short queries, {name}", _short(engine), (None, 25 if large else 10))
        rows += _row(engine, f"long queries, {name}", _long(engine), (40, 100) if large else (20, 60))
        rows += _row(
            engine, f"--exact with a whole word, {name}", _literals(engine), (None, 50 if large else 15), exact=True
        )
    return rows


def _row(
    engine: Engine, name: str, queries: Sequence[str], goal: tuple[int | None, int], *, exact: bool = False
) -> list[Row]:
    def ask(query: str) -> Callable[[], object]:
        return lambda: product.search(engine, query, exact=exact)

    times = [clock.timed(ask(query)) for query in queries]
    wall, cpu = [one.wall for one in times], [one.cpu for one in times]
    half, most = clock.median(wall), clock.quantile(wall, 0.95)
    first, last = goal
    met = most <= last / 1e3 and (first is None or half <= first / 1e3)
    promised = f"p95 <= {last} ms" if first is None else f"<= {first} / {last} ms"
    beside = f"cpu {ms(clock.median(cpu))} / {ms(clock.quantile(cpu, 0.95))}"
    return [Row(f"{name} (n={len(times)}), p50 / p95", f"{ms(half)} / {ms(most)}", beside, None, promised, met)]


def _short(engine: Engine) -> list[str]:
    draw = random.Random(17)
    found = list(engine.history.rows("SELECT term, doc FROM word_terms WHERE length(term) > 3"))
    [(total,)] = engine.history.rows("SELECT count(*) FROM words_docsize")
    bands = [[term for term, docs in found if low * total < docs <= high * total] for low, high in BANDS]
    bands = [band for band in bands if band]
    return [" ".join(draw.choice(draw.choice(bands)) for _ in range(draw.randint(1, 5))) for _ in range(SHORT)]


def _long(engine: Engine) -> list[str]:
    """Seventeen words in a row out of entries of the store."""
    texts = _texts(engine)
    return [" ".join(text.split()[:17]) for text in texts]


def _literals(engine: Engine) -> list[str]:
    """Pieces cut out of stored entries, beginning and ending anywhere, each with at least one whole word inside."""
    draw = random.Random(23)
    pieces = []
    for text in _texts(engine):
        for _ in range(20):
            start = draw.randrange(max(len(text) - 60, 1))
            piece = text[start : start + draw.randint(15, 50)].split("\n")[0].strip()
            if WHOLE.search(piece):
                pieces.append(piece)
                break
    return pieces


def _texts(engine: Engine) -> list[str]:
    draw = random.Random(5)
    [(top,)] = engine.history.rows("SELECT max(id) FROM texts")
    found: list[str] = []
    while len(found) < SHORT:
        sql = "SELECT text FROM texts WHERE id >= ? LIMIT 1"
        for (text,) in engine.history.db.execute(sql, (draw.randint(1, top),)):
            if len(text) > 80:
                found.append(text)
    return found
