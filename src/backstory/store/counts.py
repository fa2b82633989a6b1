"""What a history holds in numbers, and whether it is sound: what reports on it are made of."""

from typing import NamedTuple

from backstory.store.history import History
from backstory.store.statements import load

SQL = load("counts")


class Counts(NamedTuple):
    """How many there are; `missing` are sessions whose file is gone, `malformed` damaged records."""

    sessions: int
    missing: int
    entries: int
    searchable: int
    malformed: int


class FilePages(NamedTuple):
    """The file as SQLite sees it: bytes of a page, pages, those that are free, and the version of the schema."""

    bytes: int
    total: int
    free: int
    version: int


class Orphans(NamedTuple):
    """What should never be: entries without text, texts without entry, entries that the literal index lacks."""

    textless: int
    homeless: int
    unindexed: int


def counts(history: History) -> Counts:
    """Sessions, entries and damage."""
    [row] = history.rows(SQL.counts)
    return Counts(*row)


def table_sizes(history: History) -> list[tuple[str, int]]:
    """Bytes of each table and index, largest first."""
    return list(history.rows(SQL.table_sizes))


def pages(history: History) -> FilePages:
    """Pages of the file."""
    names = ("page_size", "page_count", "freelist_count", "user_version")
    return FilePages(*(value for name in names for (value,) in history.rows(f"PRAGMA {name}")))


def unconverged(history: History, extraction: int) -> int:
    """Sessions extracted under other rules."""
    [(count,)] = history.rows(SQL.unconverged, (extraction,))
    return int(count)


def orphans(history: History) -> Orphans:
    """Rows of entries, texts and index that do not belong together."""
    [row] = history.rows(SQL.orphans)
    return Orphans(*row)


def integrity(history: History) -> list[str]:
    """What SQLite itself finds wrong, at most 20 lines; empty for a sound file."""
    found = [str(row[0]) for row in history.rows("PRAGMA quick_check(20)")]
    return [] if found == ["ok"] else found
