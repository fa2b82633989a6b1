"""Literal search: the whole query is one phrase, every match counts, and the order needs no statistics.

Strongest first: more occurrences (overlapping ones count once), shorter text, later time, session id, later number; at
last source and path of the session, for sessions may share an id.
These keys mean the same for stored and live rows, so their lists are merged as they stand. A next page goes on behind
the keys of the last item before it. Nothing here reads a text: snippets are cut for one page, by `engine.query.search`.
"""

import re
from collections.abc import Iterable, Iterator
from heapq import merge
from itertools import islice

from backstory.errors import InvalidQueryError
from backstory.records.base import Record
from backstory.records.paging import Slice
from backstory.store import vocabulary
from backstory.store.history import History
from backstory.store.literal import Order, PhraseQuery, Range, Row, matches
from backstory.store.where import Clause
from backstory.text.fold import spaced

# FTS5 goes through the rows of each token of a phrase.
MOST_TOKENS = 2_000
MARKS = {0xFDD0: 0xFFFD, 0xFDD1: 0xFFFD}
_BLANKS = re.compile(r"\s+")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Phrase(Record, frozen=True):
    """A query as it is looked for: its normalised text and its tokens."""

    text: str
    tokens: tuple[str, ...]


def phrase(history: History, query: str) -> Phrase:
    """Blanks trimmed and collapsed, reserved marks replaced; everything else stays data.

    Raises:
        InvalidQueryError: nothing is left, it is too long, or a NUL or half of a surrogate pair is in it.
    """
    text = normalised(query)
    tokens = tuple(vocabulary.tokens(history, spaced(text), stemmed=False))
    if len(tokens) > MOST_TOKENS:
        raise InvalidQueryError(f"a literal query holds at most {MOST_TOKENS:,} words; this one has {len(tokens):,}")
    return Phrase(text, tokens)


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


def events(history: History, wanted: Phrase, where: Clause, part: Slice, *, within: Range | None = None) -> list[Row]:
    """Matching events of a part; `within` is the range of row ids of the one session asked for, if any."""
    return list(islice(_ordered(history, wanted, where, part, within), part.skipped, part.skipped + part.limit))


def sessions(history: History, wanted: Phrase, where: Clause, part: Slice) -> list[Row]:
    """The strongest event of each matching session of a part.

    Sessions come in the order of their strongest events. One whose strongest event is not behind the key of the part
    was given on an earlier page, so its other events do not count.
    """
    rows = _strongest(_ordered(history, wanted, where, part, None, sessions=True))
    return list(islice(rows, part.skipped, part.skipped + part.limit))


def _ordered(
    history: History, wanted: Phrase, where: Clause, part: Slice, within: Range | None, *, sessions: bool = False
) -> Iterator[Row]:
    if not wanted.tokens:
        return iter(())
    match = PhraseQuery(wanted.tokens, within, part.after, sessions)
    return merge(*matches(history, match, where), key=Order(history).place)


def _strongest(rows: Iterable[Row]) -> Iterator[Row]:
    seen: set[int] = set()
    for row in rows:
        if row.session not in seen:
            seen.add(row.session)
            yield row
