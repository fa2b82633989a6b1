"""Each session's conversation in indexed pieces, so that an appended entry re-indexes one bounded piece.

Pieces are cut by size alone, from the first entry on, so they depend on the session and not on how it was read.
"""

from collections.abc import Callable, Iterable, Sequence

from backstory.records.base import Record
from backstory.store import entries
from backstory.store.history import History
from backstory.store.statements import load

SQL = load("passages")
SIZE = 32 << 10


class IndexedPassage(Record, frozen=True):
    """A piece of a conversation: seq of its first and last entry, size in characters, and its indexed text in UTF-8."""

    first: int
    last: int
    size: int
    text: bytes


def refresh(
    history: History, session: int, seq: int, prepare: Callable[[str], bytes], home: Callable[[str], str] = str
) -> None:
    """Makes the pieces of a session right again after its entries changed from `seq` on.

    `prepare` turns stored text into what the index shall see of it; `home` turns statements to other tables.
    """
    db = history.db
    stale = list(history.rows(home(SQL.spans), (session, seq)))
    stale = stale or list(history.rows(home(SQL.open_span), (session, SIZE)))
    start = min([seq, *(first for _, first, _ in stale)])
    db.executemany(home(SQL.delete_span), [(id_,) for id_, _, _ in stale])
    db.executemany(home(SQL.delete_text), [(id_,) for id_, _, _ in stale])
    said = ((seq, len(text), prepare(text)) for seq, text in entries.said_from(history, session, start, home))
    insert(history, [(session, cut(said))], home)


def cut(said: Iterable[tuple[int, int, bytes]]) -> list[IndexedPassage]:
    """The pieces of what was said in a session from some entry on: (seq, characters, what the index shall see)."""
    found: list[IndexedPassage] = []
    texts: list[bytes] = []
    first, last, size = 0, 0, 0
    for last, chars, text in said:
        first = first if texts else last
        texts.append(text)
        size += chars
        if size >= SIZE:
            found.append(IndexedPassage(first, last, size, b"\n".join(texts)))
            texts, size = [], 0
    if texts:
        found.append(IndexedPassage(first, last, size, b"\n".join(texts)))
    return found


def insert(
    history: History, new: Iterable[tuple[int, Sequence[IndexedPassage]]], home: Callable[[str], str] = str
) -> None:
    """Stores pieces of sessions, given by key, behind those that are there."""
    pieces = [(session, piece) for session, each in new for piece in each]
    if pieces:
        [(top,)] = history.rows(home(SQL.top))
        numbered = list(enumerate(pieces, top + 1))
        spans = ((id_, session, piece.first, piece.last, piece.size) for id_, (session, piece) in numbered)
        history.db.executemany(home(SQL.insert_span), spans)
        history.db.executemany(home(SQL.insert_text), ((id_, piece.text) for id_, (_, piece) in numbered))
