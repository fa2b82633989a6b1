"""Known items: does a search lead to what somebody half remembers?

Each item of the generated corpus names an event and a query made from it: a phrase, some of its words with gaps or in
another order, the start of a word, a mistyped word, a piece from inside a name. Counted is how often one of the first
five hits, ranked or exact, holds what was meant; and how often the very session is among them, beside what guessing
among all sessions that hold it would give, and the most that anybody could expect who knows no more than the query: an
event was drawn, so the best guess are the five sessions with the most events that hold what was meant.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from backstory.engine.open import Engine
from backstory.records.query import ListEvents, ListSessions, Mode, SearchEvents, SearchSessions
from backstory.retrieve.expand import distance
from bench import places, product
from bench.table import Row

FIRST = 5
GOALS = {"phrase": 38, "words_in_order_gap": 38, "words_reordered": 38, "prefix": 38, "substring": 38, "typo": 30}
TOKEN = re.compile(r"[a-z0-9]+")


class Item(NamedTuple):
    """A query with the event it was made from."""

    kind: str
    query: str
    session: str
    seq: int


def figures(events: int) -> list[Row]:
    """One row per kind."""
    home = places.cache("stores", f"query-{events}")
    with product.engine(home) as engine:
        product.fill(engine, [("dsh", places.corpus_logs(events))])
        texts = _texts(engine)
        lines = Path(f"{places.corpus(events)}.known.jsonl").read_text(encoding="utf-8").splitlines()
        rows = [json.loads(line) for line in lines]
        items = [Item(row["kind"], row["query"], row["session_id"], row["seq"]) for row in rows]
        return [_row(engine, kind, [item for item in items if item.kind == kind], texts, events) for kind in GOALS]


def _texts(engine: Engine) -> dict[tuple[str, int], str]:
    found: dict[tuple[str, int], str] = {}
    cursor = None
    while True:
        page = engine.query.list_sessions(ListSessions(limit=1_000, cursor=cursor))
        for session in page.items:
            documents = engine.query.list_events(ListEvents(session=session.id, documents=True, limit=1_000))
            found |= {(session.id, one.seq): one.text.lower() for one in documents.items}  # type: ignore[attr-defined]
        if (cursor := page.next_cursor) is None:
            return found


def _row(engine: Engine, kind: str, items: list[Item], texts: dict[tuple[str, int], str], total: int) -> Row:
    meant = very = listed = 0
    chance = best = 0.0
    for item in items:
        wanted = _wanted(item, texts[item.session, item.seq])
        holders = Counter(session for (session, _), text in texts.items() if _holds(text, kind, wanted))
        request = SearchSessions(query=item.query, mode=Mode.RELEVANCE, limit=FIRST)
        sessions = {hit.session.id for hit in engine.query.search_sessions(request).items}
        ranked = engine.query.search_events(SearchEvents(query=item.query, mode=Mode.RELEVANCE, limit=FIRST)).items
        exact = product.search(engine, item.query, exact=True).items[:FIRST]
        hits = [(hit.session, hit.seq) for hit in ranked] + [(hit.session_id, hit.seq) for hit in exact]  # type: ignore[union-attr]
        meant += any(_holds(texts[hit], kind, wanted) for hit in hits)
        listed += item.session in sessions
        very += item.session in sessions | {session for session, _ in hits}
        chance += min(1.0, FIRST / len(holders))
        best += sum(events for _, events in holders.most_common(FIRST)) / holders.total()
    told = f"{meant} of {len(items)} (the very session {very}, {listed} by the list of sessions alone)"
    figure = f"known items: {kind.replace('_', ' ')}, {total:,} events, first {FIRST}"
    guess = f"guessing the session {chance:.1f}, best guess {best:.1f}"
    return Row(figure, told, guess, None, f">= {GOALS[kind]}", meant >= GOALS[kind])


def _wanted(item: Item, text: str) -> list[str]:
    """What somebody meant: words that a text must hold all of, or for single words any of."""
    query = item.query.lower()
    words = set(TOKEN.findall(text))
    if item.kind == "typo":
        return [word for word in words if distance(word, query) == 1 and sorted(word) == sorted(query)]
    if item.kind == "prefix":
        return [word for word in words if word.startswith(query)]
    if item.kind in {"substring", "phrase"}:
        return [query]
    return TOKEN.findall(query)


def _holds(text: str, kind: str, wanted: Iterable[str]) -> bool:
    if kind in {"substring", "phrase"}:
        return all(piece in text for piece in wanted)
    words = set(TOKEN.findall(text))
    return bool(words & set(wanted)) if kind in {"typo", "prefix"} else words >= set(wanted)


def main() -> None:
    """Prints the rows of the corpus that the goals speak of."""
    for row in figures(20_000):
        print(" | ".join(map(str, row)))


if __name__ == "__main__":
    main()
