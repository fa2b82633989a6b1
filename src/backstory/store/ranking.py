"""FTS5 auxiliary functions: what ranking needs to know of a matching row, computed from its positions alone.

`evidence(table, phrases, pairs)` gives term counts, neighbouring pairs and length of a row FTS5 returns; scoring itself
is pure and lives in `retrieve.rank`. `spans(table)` counts the occurrences of a literal query, merging those that
share a token, as FTS5's own highlighting does.
"""

from collections.abc import Callable
from typing import Any

import apsw

NEAR = 3
MOST = 255
LENGTH_BYTES = 4


def register(db: apsw.Connection) -> None:
    """Makes the functions known to a connection."""
    functions: dict[str, Callable[..., Any]] = {"evidence": evidence, "spans": spans}
    for name, function in functions.items():
        db.register_fts5_function(name, function)


def evidence(api: apsw.FTS5ExtensionApi, phrases: Any, pairs: Any) -> bytes:
    """Counts of a row, a byte each and at most 255, then its length in tokens in the last four bytes.

    `phrases` names phrases of the query by number, a byte each: first comes how often each occurs. `pairs` names
    positions i in that list: then comes how often phrase i+1 starts within 3 tokens after phrase i.
    """
    places = api.phrase_locations
    if pairs:
        found = [places(number)[0] for number in phrases]
        counts = list(map(len, found))
        for i in pairs:
            counts.append(_following(found[i], found[i + 1]) if counts[i] and counts[i + 1] else 0)
    elif api.column_count == 1:
        counts = [len(places(number)[0]) for number in phrases]
    else:
        counts = [sum(map(len, places(number))) for number in phrases]
    length = api.column_size(-1).to_bytes(LENGTH_BYTES)
    try:
        return bytes(counts) + length
    except ValueError:
        return bytes([min(count, MOST) for count in counts]) + length


def _following(first: list[int], second: list[int]) -> int:
    if len(first) == len(second) == 1:
        return 0 < second[0] - first[0] <= NEAR
    starts = set(second)
    return sum([at + 1 in starts or at + 2 in starts or at + NEAR in starts for at in first])


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
