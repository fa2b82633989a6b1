"""Cuts the rows that stored and live tables gave for a query to the bound that one table has.

Each table gives its best by what it holds alone. Of both together those are kept that FTS5 would have given if all
stood in one table: ranked ones by its bm25 with the counts of both, others by age. Where nothing is live this does
nothing. Before it in the flow: `store.search`. After it: `rank`.
"""

from collections.abc import Sequence
from math import log

from backstory.retrieve import rank
from backstory.retrieve.terms import Choice, Reach
from backstory.store import statistics
from backstory.store.history import History
from backstory.store.search import WordRow

LEAST = 1e-6  # what FTS5 takes a phrase to be worth that half of all rows hold


def merged(
    history: History,
    index: str,
    choice: Choice,
    order: Sequence[str],
    rows: list[WordRow],
    reach: Reach,
) -> list[WordRow]:
    """Some rows of an index within a reach, whose evidence counts the terms of a choice in an order.

    Of equal ones those that came first are kept, which FTS5 does too.
    """
    if not history.live or len(rows) <= reach.limit:
        return rows
    if not reach.ranked:
        return sorted(rows, key=lambda row: -row.id)[: reach.limit]
    given = plain(statistics.sizes(history, index), choice, order)
    # Keys of live sessions are negative.
    best = sorted(rows, key=lambda row: (-rank.plain_score(row.evidence, given), row.session < 0, row.id))
    return best[: reach.limit]


def plain(sizes: tuple[int, int], choice: Choice, order: Sequence[str]) -> rank.Plain:
    """What FTS5 would weigh the terms of a choice by in an index of such (rows, tokens)."""
    total, tokens = sizes
    place = {text: at for at, text in enumerate(order)}

    def weight(docs: int) -> float:
        return max(log((total - docs + 0.5) / (docs + 0.5)), LEAST) if docs <= total else LEAST

    rare = tuple((place[term.text], weight(term.docs)) for term in choice.rare)
    common = tuple((place[term.text], weight(term.docs)) for term in choice.common)
    return rank.Plain(rare, common, tokens / total if tokens else 1.0)
