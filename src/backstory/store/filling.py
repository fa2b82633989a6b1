"""The rows of new sessions, kept back until there are enough of them to fill one table after the other.

What FTS5 gathers of one index is larger than the processor's cache. Where each short session goes from index to index,
every word is looked up in memory that the others have pushed out. Whatever reads a kept session needs `write` before.
Before it in the flow: `index.reconcile`. After it: `entries`, `passages`, `sessions`.
"""

from collections.abc import Sequence

from backstory.store import entries, passages, sessions
from backstory.store.entries import PreparedEntry
from backstory.store.history import History
from backstory.store.passages import IndexedPassage

MOST_ENTRIES = 4_096
MOST_BYTES = 2 << 20


class Filling:
    """What is kept back in one write transaction."""

    def __init__(self, history: History) -> None:
        self._history = history
        self._entries: list[tuple[int, Sequence[PreparedEntry]]] = []
        self._pieces: list[tuple[int, Sequence[IndexedPassage]]] = []
        self._updates: list[sessions.Update] = []
        self._count = 0
        self._bytes = 0

    def add(self, session: int, new: Sequence[PreparedEntry], pieces: Sequence[IndexedPassage]) -> None:
        """Takes all entries of a session that has none yet, and the pieces of what was said; `session` is its key."""
        self._entries.append((session, new))
        self._pieces.append((session, pieces))
        self._count += len(new)
        self._bytes += sum([len(one.text) for one in new])
        if self._count >= MOST_ENTRIES or self._bytes >= MOST_BYTES:
            self.write()

    def update(self, row: sessions.Update) -> None:
        """Takes what is known of such a session."""
        self._updates.append(row)

    def write(self) -> None:
        """Stores what is kept, in the order in which it came."""
        if self._entries:
            entries.insert(self._history, self._entries)
            passages.insert(self._history, self._pieces)
            self._entries, self._pieces, self._count, self._bytes = [], [], 0, 0
        for row in self._updates:
            sessions.update(self._history, row)
        self._updates = []
