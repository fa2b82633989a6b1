"""Writes entries with their text and index rows, and reads the light columns that folding and reconciling need."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from itertools import count

from backstory.errors import LockedDatabaseError
from backstory.records.base import Record
from backstory.records.node import Node
from backstory.records.session import Draft, Entry
from backstory.store.history import History
from backstory.store.statements import load, split

SQL = load("entries")
# Pages of an index that are joined in one transaction, which takes some milliseconds and makes the file hardly larger,
# and in how many transactions at most.
MERGED_PAGES = 64
MOST_MERGES = 24


class PreparedEntry(Record, frozen=True):
    """An entry ready to be stored: `text` is that of its draft, the others are what the indexes see of it.

    `said`, `result` and `parts` are columns of `literal`, `words` is the stemmed side; an entry without text has none.
    All are in UTF-8: of a string, the driver makes such bytes once more.
    """

    entry: Entry
    surface: str
    text: bytes = b""
    said: bytes | None = None
    result: bytes | None = None
    parts: bytes | None = None
    words: bytes | None = None


class StoredEntry(Record, frozen=True):
    """What reconciling compares of a stored entry: the hash of its raw record, where that stands, and its `traits`."""

    id: int
    hash: bytes
    offset: int
    traits: tuple[object, ...]


def insert(history: History, new: Sequence[tuple[int, Sequence[PreparedEntry]]]) -> None:
    """Stores entries of sessions, given by key; their row ids follow everything stored before.

    Each table is filled for all of them at once: what FTS5 gathers of one index does not fit the processor's cache
    beside that of another.
    """
    [(top,)] = history.rows("SELECT coalesce(max(id), 0) FROM entries")
    items = [item for _, each in new for item in each]
    keys = [session for session, each in new for _ in each]
    said = [(id_, item) for id_, item in enumerate(items, top + 1) if item.text]
    db = history.db
    db.executemany(SQL.insert_entry, map(row, count(top + 1), keys, items))
    db.executemany(SQL.insert_text, ((id_, item.text) for id_, item in said))
    db.executemany(SQL.insert_literal, ((id_, item.said, item.result, item.parts) for id_, item in said))
    db.executemany(SQL.insert_words, ((id_, item.words) for id_, item in said if item.words))


def row(id_: int, session: int, item: PreparedEntry) -> tuple[object, ...]:
    """The values of `insert_entry`."""
    entry = item.entry
    draft = entry.draft
    return (
        id_, session, entry.seq, item.surface, draft.kind, draft.role, draft.time, draft.visible, draft.sidechain,
        False, draft.chars, len(draft.text), draft.entry_id, draft.parent_id, draft.tool,
        _calls(draft), "\n".join(draft.paths) if draft.paths else None,
        draft.op, draft.target, entry.offset, entry.length, entry.hash, _sources(draft),
    )  # fmt: skip


def traits(draft: Draft, tool: str | None) -> tuple[object, ...]:
    """What records before it may change in an entry while its own record stays; `tool` is its name without secrets."""
    return (
        draft.kind, draft.role, draft.time, draft.visible, draft.sidechain, draft.chars, draft.entry_id,
        draft.parent_id, tool, _calls(draft), draft.op, draft.target, _sources(draft),
    )  # fmt: skip


def _calls(draft: Draft) -> str | None:
    return "\n".join(draft.call_ids) if draft.call_ids else None


def _sources(draft: Draft) -> str | None:
    return ",".join(map(str, draft.sources)) if draft.sources else None


def hashes(history: History, session: int) -> dict[int, StoredEntry]:
    """The stored entries of a session by seq."""
    rows = history.rows(SQL.hashes, (session,))
    return {seq: StoredEntry(id_, digest, offset, tuple(more)) for seq, id_, digest, offset, *more in rows}


def move(history: History, places: Iterable[tuple[int, int]]) -> None:
    """Says where records stand now whose file changed before them: (offset, row id)."""
    history.db.executemany(SQL.move, places)


def delete(history: History, ids: Iterable[int]) -> None:
    """Removes entries by row id, from the tables and from both indexes."""
    gone = [(id_,) for id_ in ids]
    for table, key in (("entries", "id"), ("texts", "id"), ("literal", "rowid"), ("words", "rowid")):
        history.db.executemany(f"DELETE FROM {table} WHERE {key} = ?", gone)  # noqa: S608


def ids_from(history: History, session: int, seq: int) -> list[int]:
    """Row ids of a session's entries from `seq` on."""
    return [id_ for id_, _ in history.rows(SQL.ids_from, (session, seq))]


def set_surfaces(history: History, session: int, changes: Iterable[tuple[int, str]]) -> None:
    """Gives entries, named by seq, another surface."""
    history.db.executemany(SQL.set_surface, [(surface, session, seq) for seq, surface in changes])


def said_from(history: History, session: int, seq: int, home: Callable[[str], str] = str) -> Iterable[tuple[int, str]]:
    """(seq, text) of what people and agents said, and of summaries, from `seq` on."""
    return history.rows(home(SQL.said_from), (session, seq))


def nodes(history: History, session: int, home: Callable[[str], str] = str) -> list[tuple[Node, str]]:
    """What folding needs of every entry of a session, with the surface it has now."""
    found = history.rows(home(SQL.nodes), (session,))
    return [
        (
            Node(seq, kind, bool(visible), entry_id, parent_id, bool(sidechain), op, target, split(call_ids)),
            surface,
        )
        for seq, kind, visible, entry_id, parent_id, sidechain, op, target, call_ids, surface in found
    ]


def clear_session(history: History, session: int) -> None:
    """Removes what hangs on a session beside its entries."""
    for statement in (SQL.clear_passage_texts, SQL.clear_passage_spans, SQL.clear_damage):
        history.db.execute(statement, (session,))


def compact(history: History) -> None:
    """Rids the full-text indexes of what was deleted; until then every look-up of a word passes by its old rows."""
    with history.write("compact the indexes"):
        for statement in (SQL.compact_literal, SQL.compact_words, SQL.compact_passages):
            history.db.execute(statement)


def merge(history: History, late: Callable[[], bool]) -> None:
    """Joins the segments that a fill left of the indexes that ranking reads, a few pages in each transaction.

    Ends early where it is `late` or somebody else writes, and in a large index before all is done; FTS5 goes on there
    as more is written. It chooses itself what it joins: of segments that were joined as often, four or more.
    """
    with suppress(LockedDatabaseError):
        for statement in (SQL.merge_words, SQL.merge_passages):
            for _ in range(MOST_MERGES):
                if late() or not _merged(history, statement):
                    break


def _merged(history: History, statement: str) -> bool:
    with history.write("merge the indexes"):
        before = history.db.total_changes()
        history.db.execute(statement, (MERGED_PAGES,))
        # The statement counts as one change itself, and any work as more.
        return history.db.total_changes() - before > 1
