"""Each session's conversation in indexed pieces, so that an appended entry re-indexes one bounded piece.

Pieces are cut by size alone, from the first entry on, so they depend on the session and not on how it was read.
"""

from collections.abc import Callable, Iterable

from backstory.store import entries
from backstory.store.history import History
from backstory.store.statements import load

SQL = load("passages")
SIZE = 32 << 10


def refresh(
    history: History, session: int, seq: int, prepare: Callable[[str], str], home: Callable[[str], str] = str
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
    fill(history, session, entries.said_from(history, session, start, home), prepare, home)


def fill(
    history: History,
    session: int,
    said: Iterable[tuple[int, str]],
    prepare: Callable[[str], str],
    home: Callable[[str], str] = str,
) -> None:
    """Makes pieces of (seq, text), what was said in a session from some entry on; those before it are kept."""
    texts: list[str] = []
    first, last, size = 0, 0, 0
    for last, text in said:
        first = first if texts else last
        texts.append(text)
        size += len(text)
        if size >= SIZE:
            _store(history, home, (session, first, last, size), prepare("\n".join(texts)))
            texts, size = [], 0
    if texts:
        _store(history, home, (session, first, last, size), prepare("\n".join(texts)))


def _store(history: History, home: Callable[[str], str], span: tuple[int, int, int, int], text: str) -> None:
    # No RETURNING: it opens a statement savepoint, and every savepoint makes FTS5 write out what it gathered so far.
    history.db.execute(home(SQL.insert_span), span)
    history.db.execute(home(SQL.insert_text), (history.db.last_insert_rowid(), text))
