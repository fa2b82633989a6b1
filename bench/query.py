"""Figures of the query service: both search modes, exact reads, deep pages, live sessions, readers beside a writer.

`python -m bench.query EVENTS` measures one size alone. Wall times suffer on a busy machine, so CPU stands beside them.
"""

import random
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from backstory.engine.open import Engine
from backstory.engine.query.service import QueryService
from backstory.errors import BackstoryError
from backstory.records.live import LiveHeader
from backstory.records.query import ListSessions, Mode, SearchEvents, SearchSessions
from backstory.records.session import Draft
from backstory.store.history import open_history
from bench import clock, places, product
from bench.table import Row, ms, render

SHARE = 0.03
LIVE = 20
READERS = 8
SECONDS = 4.0


def figures(events: int) -> list[Row]:
    """Everything at one size."""
    home = places.cache("stores", f"query-{events}")
    with product.engine(home) as engine:
        product.fill(engine, [("dsh", places.corpus_logs(events))])
        product.settle(engine)
    with product.engine(home) as engine:
        service = engine.query
        name = f"{events:,} events"
        rows = [*_searches(service, places.corpus_queries(events), name)]
        rows += _common(service, str(product.database(home)), name, promised=events >= 1_000_000)
        rows += [*_reads(service, name), *_live(engine, name)]
        rows += _crowd(service, str(product.database(home)), places.corpus_queries(events), name)
    return rows


def _searches(service: QueryService, queries: Sequence[str], name: str) -> list[Row]:
    rows = []
    some = service.list_sessions(ListSessions(limit=1)).items[0].id
    asks: dict[str, Callable[[str, Mode], object]] = {
        "sessions": lambda query, mode: service.search_sessions(SearchSessions(query=query, mode=mode)),
        "events": lambda query, mode: service.search_events(SearchEvents(query=query, mode=mode)),
        "events of one session": lambda query, mode: service.search_events(
            SearchEvents(query=query, mode=mode, session=some)
        ),
    }
    for mode in Mode:
        for what, ask in asks.items():
            times = [clock.timed(partial(ask, query, mode)) for query in queries for _ in range(2)]
            rows.append(Row(f"{what}, {mode}, {name}, p50 / p95", _both(times)))
    return rows


def _common(service: QueryService, path: str, name: str, *, promised: bool) -> list[Row]:
    """Literal search for a word that about three of a hundred events hold, beside the bare MATCH with its spans."""
    history = open_history(path, read_only=True)
    total = int(str(history.db.execute("SELECT count(*) FROM entries").fetchall()[0][0]))
    sql = "SELECT term FROM literal_terms WHERE doc <= ? ORDER BY doc DESC LIMIT 1"
    word = str(history.db.execute(sql, (int(total * SHARE),)).fetchall()[0][0])
    bare = "SELECT spans(literal) FROM literal WHERE literal MATCH ?"
    floor = [clock.timed(lambda: history.db.execute(bare, (f'"{word}"',)).fetchall()) for _ in range(7)]
    history.close()
    rows = []
    for what, goal, ask in (
        ("events", 0.080, lambda: service.search_events(SearchEvents(query=word))),
        ("sessions", 0.130, lambda: service.search_sessions(SearchSessions(query=word))),
    ):
        ask()
        times = [clock.timed(ask) for _ in range(7)]
        wall = clock.median([one.wall for one in times])
        met = wall < goal if promised else None
        told = f"{ms(wall)} ({ms(clock.median([one.cpu for one in times]))} cpu)"
        beside = f"{ms(clock.median([one.wall for one in floor]))} (bare match and spans)"
        promise = f"< {ms(goal)}" if promised else ""
        rows.append(Row(f"{what}, literal, 3 % term, {name}", told, beside, None, promise, met))
    rows.append(_pages(service, word, name))
    return rows


def _pages(service: QueryService, word: str, name: str) -> Row:
    """Page 50 beside page 1."""
    cursor = None
    first: list[clock.Usage] = []
    last: list[clock.Usage] = []
    for _ in range(3):
        cursor = None
        for page in range(50):
            request = SearchEvents(query=word, cursor=cursor)
            usage, answer = clock.answered(partial(service.search_events, request))
            (first if page == 0 else last if page == 49 else []).append(usage)
            cursor = answer.next_cursor
            if cursor is None:
                break
    if not last:
        return Row(f"page 50 beside page 1, {name}", "not measured", "the corpus has fewer pages")
    ours, beside = (clock.median([one.cpu for one in times]) for times in (last, first))
    return Row(f"page 50 beside page 1, cpu, {name}", ms(ours), ms(beside), ours / beside, "<= 2x", ours / beside <= 2)


def _reads(service: QueryService, name: str) -> list[Row]:
    sessions = service.list_sessions(ListSessions(limit=1_000)).items
    draw = random.Random(7)
    chosen = [draw.choice(sessions).id for _ in range(200)]
    for id_ in chosen[:5]:
        service.read_event(id_, 5)
    times = [clock.timed(partial(service.read_event, id_, 5, before=2, after=2)) for id_ in chosen]
    p95 = clock.quantile([one.wall for one in times], 0.95)
    rows = [Row(f"read_event with a window, {name}, p50 / p95", _both(times), "", None, "p95 < 2 ms", p95 < 0.002)]
    times = [clock.timed(lambda: service.trace_session(chosen[0])) for _ in range(9)]
    wall = clock.median([one.wall for one in times])
    goal = (None, "") if len(sessions) < 1_000 else (wall < 0.050, "< 50 ms at 10,000 sessions")
    rows.append(Row(f"trace_session, {name}", _both(times), "", None, goal[1], goal[0]))
    return rows


def _live(engine: Engine, name: str) -> list[Row]:
    """An event appended to one of twenty live sessions, until a search gives it."""
    for at in range(LIVE):
        drafts = [_draft(f"live session {at} event {seq} lorem ipsum dolor", seq) for seq in range(100)]
        engine.live.attach(LiveHeader("dsh", f"live-{at}", rules="dsh"), drafts)
    engine.query.search_events(SearchEvents(query="lorem"))
    times = []
    for at in range(200):
        word = f"needle{at}x"

        def appended(at: int = at, word: str = word) -> None:
            engine.live.append("dsh", f"live-{at % LIVE}", [_draft(f"{word} freshly said", 100 + at)])
            if len(engine.query.search_events(SearchEvents(query=word)).items) != 1:
                raise AssertionError(word)

        times.append(clock.timed(appended))
    for at in range(LIVE):
        engine.live.detach("dsh", f"live-{at}")
    p95 = clock.quantile([one.wall for one in times], 0.95)
    title = f"live append to found, {LIVE} live sessions, {name}, p50 / p95"
    return [Row(title, _both(times), "", None, "p95 < 5 ms", p95 < 0.005)]


def _draft(text: str, seq: int) -> Draft:
    return Draft(kind="prompt", role="user", text=text, time=1_760_000_000_000 + seq, visible=True, seq=seq)


def _crowd(service: QueryService, path: str, queries: Sequence[str], name: str) -> list[Row]:
    """Readers in threads with and without a writer beside them."""
    alone, errors = _readers(service, queries, None)
    together, more = _readers(service, queries, lambda stop: _writing(path, stop))
    ours, beside = clock.quantile(together, 0.95), clock.quantile(alone, 0.95)
    title = f"{READERS} readers with a writer, {name}, p95"
    told = f"{ms(ours)}, {errors + more} errors"
    met = ours / beside <= 1.5 and not errors + more
    return [Row(title, told, f"{ms(beside)} without it", ours / beside, "<= 1.5x, no error", met)]


def _readers(
    service: QueryService, queries: Sequence[str], writer: Callable[[threading.Event], None] | None
) -> tuple[list[float], int]:
    stop = threading.Event()
    times: list[float] = []
    errors: list[BackstoryError] = []

    def read(seed: int) -> None:
        draw = random.Random(seed)
        while not stop.is_set():
            begin = time.perf_counter()
            try:
                service.search_sessions(SearchSessions(query=draw.choice(queries)))
            except BackstoryError as error:
                errors.append(error)
            times.append(time.perf_counter() - begin)

    threads = [threading.Thread(target=read, args=(seed,)) for seed in range(READERS)]
    threads += [threading.Thread(target=writer, args=(stop,))] if writer else []
    for thread in threads:
        thread.start()
    time.sleep(SECONDS)
    stop.set()
    for thread in threads:
        thread.join()
    return times, len(errors)


def _writing(path: str, stop: threading.Event) -> None:
    """Commits small changes, ten a second, that leave nothing behind."""
    history = open_history(path)
    while not stop.is_set():
        with suppress(BackstoryError), history.write("bench"):
            history.db.execute("INSERT INTO literal (rowid, said) VALUES (?, 'one more event')", (1 << 39,))
            history.db.execute("DELETE FROM literal WHERE rowid = ?", (1 << 39,))
        time.sleep(0.1)
    history.close()


def _both(times: Sequence[clock.Usage]) -> str:
    walls, cpus = [one.wall for one in times], [one.cpu for one in times]
    wall = f"{ms(clock.median(walls))} / {ms(clock.quantile(walls, 0.95))}"
    return f"{wall} (cpu {ms(clock.median(cpus))} / {ms(clock.quantile(cpus, 0.95))})"


if __name__ == "__main__":
    print(render(figures(int(sys.argv[1]))))
