"""Numbered, checksummed migrations, applied in order, each in one transaction.

They are `store/migrations/<database>/NNNN_name.sql`, and `<database>.sha256` beside that folder lists them with their
checksums, so that opening a database reads one short file. Shipped files never change: their SHA-256 is stored when
applied, and a golden test holds list and files together. The version of a database is its highest migration number,
kept in `user_version`; both must agree or the file is refused.
"""

import os
from functools import cache

import apsw

from backstory.errors import CorruptDatabaseError
from backstory.records.base import Record
from backstory.store.connection import identify, mapped, moment
from backstory.store.statements import FOLDER
from backstory.store.transaction import write


class Migration(Record, frozen=True):
    """One migration file; `checksum` is the hex SHA-256 of its bytes."""

    version: int
    name: str
    path: str
    checksum: str

    @property
    def sql(self) -> str:
        """Its statements."""
        with open(self.path, encoding="utf-8") as file:
            return file.read()


@cache
def migrations(database: str) -> tuple[Migration, ...]:
    """The migrations of one database (`history` or `project`), oldest first."""
    folder = os.path.join(FOLDER, "migrations", database)
    found = []
    with open(f"{folder}.sha256", encoding="utf-8") as listed:
        for line in listed:
            checksum, file = line.split()
            number, name = file.removesuffix(".sql").split("_", 1)
            found.append(Migration(int(number), name, os.path.join(folder, file), checksum))
    return tuple(found)


def migrate(connection: apsw.Connection, path: str, database: str, application_id: int) -> None:
    """Brings a database of ours to the newest schema; refuses anything else before changing it.

    Raises:
        ForeignDatabaseError, NewerDatabaseError: see `connection.identify`.
        CorruptDatabaseError: an applied migration has another text than the shipped one.
        FullDiskError, ReadOnlyDatabaseError, LockedDatabaseError: nothing can be written, and nothing was.
    """
    steps = migrations(database)
    with mapped(path), moment(connection):
        version = identify(connection, path, application_id, steps[-1].version)
        if version:
            _verify(connection, path, steps, version)
    if version == steps[-1].version:
        return
    with mapped(path), write(connection, f"migrate {database}"):
        version = identify(connection, path, application_id, steps[-1].version)
        if version == 0:
            connection.execute(f"PRAGMA application_id={application_id}")
            connection.execute("CREATE TABLE migrations (version INTEGER PRIMARY KEY, name TEXT, checksum TEXT) STRICT")
        for step in steps:
            if step.version > version:
                connection.execute(step.sql)
                connection.execute("INSERT INTO migrations VALUES (?, ?, ?)", (step.version, step.name, step.checksum))
                connection.execute(f"PRAGMA user_version={step.version}")


def _verify(connection: apsw.Connection, path: str, steps: tuple[Migration, ...], version: int) -> None:
    applied = connection.execute("SELECT version, checksum FROM migrations ORDER BY version").fetchall()
    expected = [(step.version, step.checksum) for step in steps if step.version <= version]
    if applied != expected:
        raise CorruptDatabaseError(f"{path}: its migration history is not the one this Backstory shipped")
