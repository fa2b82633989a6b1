"""The files of a project's index: which are known, and each stored, touched or forgotten with all that it brought.

Each file is replaced as a whole inside the caller's transaction, so that rows of two versions never stand side by side.
Neighbours: `index.projects` and its neighbours write through here, `store.project.search` reads for ranking.
"""

from collections.abc import Iterable, Iterator

import msgspec

from backstory.store.connection import mapped
from backstory.store.project import state
from backstory.store.project.database import ProjectStore
from backstory.store.project.rows import FileContent, FileRow, KnownFile
from backstory.store.statements import load

# Once four segments of a size have come about. Sixteen pages take a millisecond.
_MERGED_PAGES = 16
_HASH_BYTES = {True: 16 * 1024 * 1024, False: 1024 * 1024}

SQL = load("project/files")


def stats(store: ProjectStore) -> Iterator[tuple[str, int, int, int, str]]:
    """Path, size, times in nanoseconds and status of every file the index has a row for."""
    with mapped(store.path):
        yield from store.connection.execute(SQL.stats)


def known(store: ProjectStore) -> dict[str, KnownFile]:
    """Every file the index has a row for, by path."""
    with mapped(store.path):
        return {row.path: row for row in map(KnownFile._make, store.connection.execute(SQL.known))}


def known_one(store: ProjectStore, path: str) -> KnownFile | None:
    """The row of one path."""
    found = store.rows(SQL.known_one, (path,))
    return KnownFile(*found[0]) if found else None


def replace(store: ProjectStore, row: FileRow, content: FileContent | None) -> None:
    """Stores one version of a file in place of whatever was known of it."""
    execute = store.connection.execute
    fields = msgspec.structs.asdict(row)
    fields |= {"name": row.path.rpartition("/")[2], "tracked": int(row.tracked), "modified": int(row.modified)}
    existing = known_one(store, row.path)
    if existing is not None:
        _empty(store, existing.id)
    file_id = execute(SQL.put, fields).fetchall()[0][0]
    if content is None:
        return
    ranges = msgspec.json.encode(content.chunks).decode()
    execute(SQL.put_snippet, (file_id, len(content.chunks), ranges))
    store.connection.executemany(
        SQL.put_symbol,
        ((file_id, s.name, s.qualified, s.kind, s.start, s.end) for s in content.symbols),
    )
    execute(SQL.put_words, {"id": file_id, "body": content.body, "path": content.path_words})


def touch(store: ProjectStore, path: str, stat: tuple[int, int, int], *, tracked: bool, modified: bool) -> None:
    """Notes that a file of the same content has another size, mtime or ctime, or another standing in Git."""
    size, mtime, ctime = stat
    fields = {"path": path, "size": size, "mtime": mtime, "ctime": ctime}
    store.connection.execute(SQL.touch, fields | {"tracked": int(tracked), "modified": int(modified)})


def mark_stale(store: ProjectStore, paths: Iterable[str]) -> None:
    """Takes files out of every result until they are indexed again."""
    store.connection.executemany(
        "UPDATE files SET status = 'stale' WHERE path = ? AND status = 'current'", ((path,) for path in paths)
    )


def remove(store: ProjectStore, paths: Iterable[str]) -> int:
    """Forgets files altogether; the number of rows removed."""
    removed = 0
    for path in paths:
        found = known_one(store, path)
        if found is not None:
            _empty(store, found.id)
            store.connection.execute("DELETE FROM files WHERE id = ?", (found.id,))
            removed += 1
    if removed:
        state.put_listed(store, None)
    return removed


def _empty(store: ProjectStore, file_id: int) -> None:
    store.connection.execute(SQL.empty, {"id": file_id})


def bulk(store: ProjectStore, *, on: bool) -> None:
    """Larger merges while many files are written; afterwards one segment, which halves the time of a search."""
    execute = store.connection.execute
    with store.writing("tune the project index"):
        execute("INSERT INTO file_fts (file_fts, rank) VALUES ('hashsize', ?)", (_HASH_BYTES[on],))
        if not on:
            execute(SQL.optimize)


def merge(store: ProjectStore) -> None:
    """Joins small segments that single writes left; every search has to look into each of them."""
    store.connection.execute(SQL.merge, {"pages": _MERGED_PAGES})
