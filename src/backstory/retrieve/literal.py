"""Literal search: the whole query is one phrase, every match counts, and the order needs no statistics.

Strongest first: more occurrences (overlapping ones count once), shorter text, later time, session id, later number.
These keys mean the same for stored and live rows, so their lists are merged as they stand. Nothing here reads a text:
snippets are cut for one page, by `engine.query.search`.
"""

import re
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import islice

from backstory.errors import InvalidQueryError
from backstory.records.base import Record
from backstory.store import search
from backstory.store.history import History
from backstory.store.literal import Match, Range, Row, matches
from backstory.store.where import Clause
from backstory.text.fold import spaced

MARKS = {0xFDD0: 0xFFFD, 0xFDD1: 0xFFFD}
EVENTS_PER_SESSION = 8
_BLANKS = re.compile(r"\s+")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Phrase(Record, frozen=True):
    """A query as it is looked for: its normalised text and its tokens."""

    text: str
    tokens: tuple[str, ...]


def phrase(history: History, query: str) -> Phrase:
    """Blanks trimmed and collapsed, reserved marks replaced; everything else stays data.

    Raises:
        InvalidQueryError: nothing is left, or a NUL or half of a surrogate pair is in it.
    """
    text = normalised(query)
    return Phrase(text, tuple(search.tokens(history, spaced(text), stemmed=False)))


def normalised(query: str) -> str:
    """The text of a query as cursors are bound to it.

    Raises:
        InvalidQueryError: nothing is left, or a NUL or half of a surrogate pair is in it.
    """
    if "\0" in query or _SURROGATE.search(query):
        raise InvalidQueryError("a query must not hold NUL or half of a surrogate pair")
    text = _BLANKS.sub(" ", query.translate(MARKS)).strip()
    if not text:
        raise InvalidQueryError("there is nothing to search for")
    return text


def events(
    history: History, given: Phrase, where: Clause, *, offset: int, limit: int, within: Range | None = None
) -> list[Row]:
    """Matching events from `offset` on; `within` is the range of row ids of the one session asked for, if any."""
    return list(islice(_ordered(history, given, where, offset + limit, within), offset, offset + limit))


def sessions(history: History, given: Phrase, where: Clause, *, offset: int, limit: int) -> list[Row]:
    """The strongest event of each matching session, from session `offset` on.

    Sessions come in the order of their strongest events, so the first events mostly name enough of them; only when
    they do not are more events put in order.
    """
    wanted = offset + limit
    most = wanted * EVENTS_PER_SESSION
    while True:
        rows = list(islice(_ordered(history, given, where, most, None), most))
        found = list(_strongest(rows))
        if len(found) >= wanted or len(rows) < most:
            return found[offset:wanted]
        most *= EVENTS_PER_SESSION


def _ordered(history: History, given: Phrase, where: Clause, most: int, within: Range | None) -> Iterator[Row]:
    if not given.tokens:
        return iter(())
    return merge(*matches(history, Match(given.tokens, most, within), where), key=_key)


def _key(row: Row) -> tuple[int, int, int, str, int]:
    return (-row.count, row.size, -row.time, row.session_id, -row.seq)


def _strongest(rows: Iterable[Row]) -> Iterator[Row]:
    seen: set[int] = set()
    for row in rows:
        if row.session not in seen:
            seen.add(row.session)
            yield row
