"""FTS5 auxiliary functions: what ranking needs to know of a matching row, computed from its positions alone.

`evidence(table)` gives, for each row FTS5 returns, a compact text of term counts, adjacent pairs and length; scoring
itself is pure and lives in `retrieve.rank`. `spans(table)` counts the phrase occurrences of a literal query, merging
those that share a token.
"""

from typing import Any

import apsw


def register(db: apsw.Connection) -> None:
    """Makes the functions known to a connection."""
    db.register_fts5_function("evidence", evidence)
    db.register_fts5_function("spans", spans)


def evidence(api: apsw.FTS5ExtensionApi, count: Any, adjacent: Any) -> str:
    """Counts for the first `count` phrases of the query: `length|tf,tf,…|pair,pair,…`.

    `tf` is how often the phrase occurs, `pair` how often phrase i+1 starts within 3 tokens after phrase i, computed
    only for the i named in `adjacent` (comma-separated).
    """
    places = [api.phrase_locations(index) for index in range(count)]
    tfs = ",".join([str(sum(map(len, columns))) for columns in places])
    pairs = ",".join([str(_following(places[i], places[i + 1])) for i in map(int, adjacent.split(","))]) if adjacent else ""
    return f"{sum(api.column_size(column) for column in range(api.column_count))}|{tfs}|{pairs}"


def _following(first: list[list[int]], second: list[list[int]]) -> int:
    found = 0
    for ahead, behind in zip(first, second, strict=True):
        if ahead and behind:
            starts = set(behind)
            found += sum(1 for at in ahead if at + 1 in starts or at + 2 in starts or at + 3 in starts)
    return found


def spans(api: apsw.FTS5ExtensionApi) -> int:
    """Occurrences of the only phrase of the query; occurrences that share a token count once, as highlighting does."""
    width = len(api.phrases[0])
    total = 0
    for places in api.phrase_locations(0):
        end = -1
        for at in places:
            if at > end:
                total += 1
            end = at + width - 1
    return total
