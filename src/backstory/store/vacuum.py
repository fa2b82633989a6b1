"""Gives the space that deleted rows left in a database back to the disk.

SQLite writes the whole file anew as one transaction: it can be killed at any moment, readers go on reading, and a disk
without room for the copy leaves everything as it was. Row ids that anything refers to are declared, and so kept.
"""

import apsw

from backstory.store.connection import mapped
from backstory.store.folder import size
from backstory.store.transaction import patiently


def vacuum(connection: apsw.Connection, path: str) -> tuple[int, int]:
    """Bytes on disk before and after, with the write-ahead log; while others read, the file shrinks later.

    Raises:
        LockedDatabaseError: another process kept writing.
        FullDiskError: no room for the copy; nothing changed.
    """
    before = _bytes(path)
    with mapped(path):
        patiently(lambda: connection.execute("VACUUM"), "give back space")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return before, _bytes(path)


def _bytes(path: str) -> int:
    return sum(size(path + end) for end in ("", "-wal"))
