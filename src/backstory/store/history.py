"""The history database: one per user, `derived/history.db`, safe to delete at any time.

`History` is one open connection. Statements about a noun live in the module of that noun (`store.sessions`,
`store.entries`, `store.search`), each taking a `History` first.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import apsw

from backstory.errors import CorruptDatabaseError, FullDiskError, InvalidTextError
from backstory.store.connection import identify, mapped, open_connection, roomy, tune
from backstory.store.folder import opening, unmoved, which
from backstory.store.header import NotADatabaseError, refuse
from backstory.store.migrate import migrate, migrations
from backstory.store.ranking import register
from backstory.store.statements import live
from backstory.store.transaction import patiently, write

APPLICATION_ID = 0x42535448  # "BSTH"
MOST_KNOWN = 20_000


class History:
    """An open history database. Not for use by several threads, but for `interrupt`.

    `live` says that live tables hold sessions (`store.live`), `hiding` that some stored sessions are not to be shown,
    `away` that whole places are among those. `wait_ms` is how long a write waits for the lock, None the usual time.
    `full` says that it is only read because the disk has no room.
    """

    def __init__(self, path: str, db: apsw.Connection) -> None:
        self.path = path
        self.db = db
        self.live = False
        self.hiding = False
        self.away = False
        self.wait_ms: int | None = None
        self.full = False
        self._file = which(path)
        self._known: dict[Any, Any] = {}
        self._known_at = -1
        self._seen: int | None = None

    def stands(self) -> bool:
        """Whether it is still what opening would give: its file lies there, and is not only read for want of more."""
        if self.path == ":memory:":
            return True
        if which(self.path) != self._file:
            return False
        folder = os.path.dirname(self.path) or "."
        if self.full:
            return not roomy(folder)
        return not self.db.readonly("main") or not (os.access(self.path, os.W_OK) and os.access(folder, os.W_OK))

    def require_room(self) -> None:
        """Raises FullDiskError where it is only read because the disk has no room."""
        if self.full:
            raise FullDiskError(f"{self.path}: no space left")

    @contextmanager
    def write(self, operation: str) -> Iterator[None]:
        """One write transaction that ends with a new generation; nested use joins the outer one."""
        self.require_room()
        outer = self.db.in_transaction
        with mapped(self.path), write(self.db, operation, self.wait_ms):
            yield
            if not outer:
                self.db.execute("UPDATE state SET generation = generation + 1")

    @contextmanager
    def read(self) -> Iterator[None]:
        """One read transaction: everything inside sees the same generation.

        Raises:
            LockedDatabaseError: another process keeps even readers out.
        """
        if self.db.in_transaction:
            with mapped(self.path):
                yield
            return
        with mapped(self.path):
            self.db.execute("BEGIN")
            try:
                self._seen = patiently(self._generation, "read the index")
                yield
            finally:
                self._seen = None
                if not self.db.get_autocommit():
                    self.db.execute("ROLLBACK")

    @contextmanager
    def scratch(self) -> Iterator[None]:
        """One change of TEMP tables, kept whole or not at all; takes no lock on the file."""
        with mapped(self.path):
            self.db.execute("SAVEPOINT scratch")
            try:
                yield
                self.db.execute("RELEASE scratch")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK TO scratch; RELEASE scratch")
                raise

    def rows(self, sql: str, args: Sequence[Any] | Mapping[str, Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement as they are asked for; what types they hold is the statement's business.

        The statement runs, and keeps its read transaction, until the last row has been taken.

        Raises:
            InvalidTextError: an argument holds half of a surrogate pair.
        """
        try:
            return self.db.execute(sql, args)
        except UnicodeEncodeError as error:
            raise InvalidTextError from error

    def everywhere(self, sql: str, args: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of the stored tables, then those of the live ones where there are any; raises the same."""
        found = list(self.rows(sql, args))
        return [*found, *self.rows(live(sql), args)] if self.live else found

    def known(self) -> dict[Any, Any]:
        """What was found out about the stored tables as they are now, for callers to add to.

        A process that goes on asks the same again. While it writes, tables change before their generation does.
        """
        if self.db.txn_state("main") == apsw.SQLITE_TXN_WRITE:
            return {}
        generation = self.generation()
        if self._known_at != generation or len(self._known) > MOST_KNOWN:
            self._known_at, self._known = generation, {}
        return self._known

    def generation(self) -> int:
        """The number of committed changes so far."""
        if self._seen is not None:
            return self._seen
        with mapped(self.path):
            return self._generation()

    def _generation(self) -> int:
        [(count,)] = self.rows("SELECT generation FROM state")
        return int(count)

    def instance(self) -> str:
        """The random name of this database, new after every rebuild."""
        with mapped(self.path):
            [(name,)] = self.rows("SELECT instance FROM state")
            return str(name)

    def interrupt(self) -> None:
        """Stops the running statement; callable from any thread."""
        self.db.interrupt()

    def close(self) -> None:
        """Closes the connection; TEMP tables vanish. The last one deletes files by name, which nobody moves then."""
        with unmoved(self.path):
            self.db.close()


def refuse_others(path: str) -> None:
    """Returns unless a sound database lies there that is not for us to replace.

    Raises:
        ForeignDatabaseError, NewerDatabaseError: another program, or a newer Backstory, wrote it.
    """
    with suppress(NotADatabaseError):
        refuse(path, APPLICATION_ID, migrations("history")[-1].version)


def open_history(path: str, *, read_only: bool = False) -> History:
    """Opens, creates or migrates the history database; `:memory:` makes one that vanishes with the connection.

    Raises:
        ForeignDatabaseError, NewerDatabaseError: the file was left untouched.
        CorruptDatabaseError, ReadOnlyDatabaseError, LockedDatabaseError, FullDiskError: as they say.
    """
    with opening(path, read_only=read_only):
        return _opened(path, read_only=read_only)


def _opened(path: str, *, read_only: bool) -> History:
    newest = migrations("history")[-1].version
    refuse(path, APPLICATION_ID, newest)
    db = open_connection(path, read_only=read_only)
    try:
        version = identify(db, path, APPLICATION_ID, newest)
        tune(db, path, read_only=read_only)
        if read_only:
            _require(path, version, newest)
        else:
            migrate(db, path, "history", APPLICATION_ID)
        register(db)
    except BaseException:
        db.close()
        raise
    return History(path, db)


def _require(path: str, version: int, newest: int) -> None:
    if version != newest:
        told = f"{path} has schema {version}, and reading needs {newest}"
        raise CorruptDatabaseError(told, advice="run backstory index once where it can be written")
