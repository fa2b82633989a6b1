"""FTS5 auxiliary functions: what ranking needs to know of a matching row, computed from its positions alone.

`evidence(table, phrases, pairs)` gives term counts, neighbouring pairs and length of a row FTS5 returns; scoring itself
is pure and lives in `retrieve.rank`. `spans(table)` counts the occurrences of a literal query, merging those that
share a token, as FTS5's own highlighting does.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import apsw

NEAR = 3


def register(db: apsw.Connection) -> None:
    """Makes the functions known to a connection."""
    functions: dict[str, Callable[..., Any]] = {"evidence": evidence, "spans": spans}
    for name, function in functions.items():
        db.register_fts5_function(name, function)


@lru_cache(maxsize=16)
def _numbers(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split(","))) if text else ()


def evidence(api: apsw.FTS5ExtensionApi, phrases: Any, pairs: Any) -> str:
    """`length|tf,tf,…|pair,pair,…` for a row.

    `phrases` names phrases of the query by number, comma-separated: `tf` is how often each occurs. `pairs` names
    positions i in that list: `pair` is how often phrase i+1 starts within 3 tokens after phrase i.
    """
    columns = range(api.column_count)
    offsets = api.phrase_column_offsets
    places = [[offsets(phrase, column) for column in columns] for phrase in _numbers(phrases)]
    tfs = ",".join([str(sum(map(len, found))) for found in places])
    near = ",".join([str(_following(places[i], places[i + 1])) for i in _numbers(pairs)])
    return f"{api.column_size(-1)}|{tfs}|{near}"


def _following(first: list[list[int]], second: list[list[int]]) -> int:
    found = 0
    for ahead, behind in zip(first, second, strict=True):
        if ahead and behind:
            starts = set(behind)
            found += sum(1 for at in ahead if at + 1 in starts or at + 2 in starts or at + NEAR in starts)
    return found


def spans(api: apsw.FTS5ExtensionApi) -> int:
    """Occurrences of the only phrase of the query in a row."""
    width = len(api.phrases[0])
    total = 0
    for places in api.phrase_locations(0):
        end = -1
        for at in places:
            total += at > end
            end = at + width - 1
    return total
