"""The words that the indexes hold, in the very tokens and stems that they are kept by.

Where a vocabulary does not help, as words of other scripts hold a piece anywhere, the latest texts are looked through.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import apsw

from backstory.store.history import History
from backstory.store.statements import array, live, load, past

SQL = load("vocabulary")
PLAIN = ("unicode61", ["remove_diacritics", "2"])
STEMMED = ("porter", ["unicode61", "remove_diacritics", "2"])


def tokens(history: History, text: str, *, stemmed: bool) -> list[str]:
    """The tokens of a text as the plain or the stemmed indexes see them, in order, with repetitions."""
    name, args = STEMMED if stemmed else PLAIN
    tokenizer = history.db.fts5_tokenizer(name, args)
    found = tokenizer(
        text.encode("utf-8", "replace"), apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False, include_colocated=False
    )
    return list(map(str, found))


def documents(history: History, stem: str) -> int:
    """How many rows of the word index hold a stem, live rows included."""
    return sum(int(docs) for (docs,) in history.everywhere(SQL.documents, (stem,)))


def said(history: History, match: str) -> bool:
    """Whether any row of the word index matches, live rows included."""
    return bool(history.everywhere(SQL.said, (match,)))


def holding(history: History, part: str, limit: int) -> list[str]:
    """Tokens of the literal index that contain `part`, or were too long to be kept whole, at most `limit`."""
    return list(dict.fromkeys(term for (term,) in history.everywhere(SQL.holding, (part, limit))))[:limit]


def with_signs(history: History, signs: str) -> list[str]:
    """Tokens of the literal index that hold any of these signs, none of them one that a pattern knows."""
    known, sql, args = history.known(), SQL.with_signs, (signs,)
    if (sql, signs) not in known:
        known[sql, signs] = list(history.rows(sql, args))
    found = [*known[sql, signs], *(history.rows(live(sql), args) if history.live else ())]
    return list(dict.fromkeys(term for (term,) in found))


def starting(history: History, start: str, limit: int) -> list[tuple[str, int]]:
    """(token, rows) of tokens of the literal index that begin with `start`, at most `limit` in their own order."""
    return _merged(history.everywhere(SQL.starting, (start, past(start), limit)))


def among(history: History, tokens: Sequence[str]) -> list[tuple[str, int]]:
    """(token, rows) of those of the given tokens that the literal index holds."""
    return _merged(history.everywhere(SQL.among, (array(tokens),)))


def _merged(found: list[tuple[Any, ...]]) -> list[tuple[str, int]]:
    counts: dict[str, int] = {}
    for term, docs in found:
        counts[term] = counts.get(term, 0) + docs
    return list(counts.items())


def latest_with(history: History, piece: str, latest: int, most: int, *, folded: bool) -> list[str]:
    """At most `most` of the `latest` texts, those that hold a piece of letters; `folded`: in capitals or not."""
    args = {"piece": piece, "latest": latest, "most": most, "folded": folded}
    return [text for (text,) in history.everywhere(SQL.latest_with, args)]


def latest_signs(history: History, latest: int) -> Iterator[str]:
    """Those of the `latest` texts that hold any sign beyond ASCII."""
    for sql in (SQL.latest_signs, live(SQL.latest_signs)) if history.live else (SQL.latest_signs,):
        for (text,) in history.rows(sql, {"latest": latest}):
            yield text
