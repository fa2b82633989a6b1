"""A few connections to one history database, lent to one thread at a time.

Readers never wait for a writer (the database is in WAL mode), only for each other when all connections are lent. A
token stops the waiting as well as a running statement. A database that was deleted or replaced meanwhile is noticed
when a connection is lent. An in-memory database has one connection, which all share in turn.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from backstory.errors import FullDiskError, ReadOnlyDatabaseError, UsageError
from backstory.store.cancel import NEVER, Token
from backstory.store.connection import mapped
from backstory.store.folder import which
from backstory.store.history import History, open_history

# Each look at the token needs the interpreter, which other threads may hold: seldom enough not to slow a statement.
STEPS = 50_000
WAIT = 0.5
BUSY_MS = 2_000


File = tuple[int, int]


class Pool:
    """Lends read connections; `shared` is the only connection of an in-memory database."""

    def __init__(self, path: str, size: int, shared: Callable[[], History] | None = None) -> None:
        self._path = path
        self._size = 1 if shared else size
        self._shared = shared
        self._idle: list[History] = []
        self._made = 0
        self._making = threading.Lock()
        self._ready: File | None = None
        self._files: dict[History, File | None] = {}
        self._free = threading.Condition()
        self._closed = False

    @contextmanager
    def use(self, token: Token) -> Iterator[History]:
        """A connection for the body.

        Raises:
            CancelledError: the token stopped the waiting or a statement; nothing half done was kept.
            DatabaseError: the database cannot be opened or read.
            UsageError: the pool was closed.
        """
        history = self._take(token)
        try:
            with mapped(self._path), _heeding(history, token):
                yield history
        finally:
            self._give(history)

    def _take(self, token: Token) -> History:
        with token.watch(self._wake), self._free:
            while True:
                token.check()
                self.check_open()
                if self._idle:
                    history = self._idle.pop()
                    if self._shared or self._files.get(history) == which(self._path):
                        return history
                    self._drop(history)
                if self._made < self._size:
                    self._made += 1
                    break
                left = token.remaining()
                self._free.wait(WAIT if left is None else min(left, WAIT))
        try:
            return self._open()
        except BaseException:
            with self._free:
                self._made -= 1
                self._free.notify()
            raise

    def _open(self) -> History:
        """A new read connection; the database is made, or brought to the newest schema, before the first one."""
        if self._shared:
            return self._shared()
        with self._making:
            file = which(self._path)
            if file is None or file != self._ready:
                # What cannot be written can still be read, when it is whole.
                with suppress(ReadOnlyDatabaseError, FullDiskError):
                    open_history(self._path).close()
                self._ready = file = which(self._path)
        history = open_history(self._path, read_only=True)
        history.db.set_busy_timeout(BUSY_MS)
        self._files[history] = file
        return history

    def _drop(self, history: History) -> None:
        """Closes a connection whose file was deleted or replaced."""
        self._files.pop(history, None)
        self._made -= 1
        history.close()

    def _wake(self) -> None:
        with self._free:
            self._free.notify_all()

    def _give(self, history: History) -> None:
        with self._free:
            if not self._closed:
                self._idle.append(history)
                self._free.notify()
                return
        if not self._shared:
            history.close()

    def check_open(self) -> None:
        """Raises UsageError once the pool was closed."""
        if self._closed:
            raise UsageError("this query service was closed")

    def close(self) -> None:
        """Closes idle connections now and lent ones when they come back."""
        with self._free:
            self._closed = True
            self._free.notify_all()
            idle, self._idle = self._idle, []
        for history in idle:
            if not self._shared:
                history.close()


@contextmanager
def _heeding(history: History, token: Token) -> Iterator[None]:
    """Stops the connection's statements with the token. The handler covers deadlines and what starts too late."""
    if token is NEVER:
        yield
        return
    with token.watch(history.interrupt):
        history.db.set_progress_handler(token.stopped, STEPS, id="token")
        try:
            token.check()
            yield
        finally:
            history.db.set_progress_handler(None, id="token")
