"""Live sessions of an engine: what a running host attaches, appends and detaches.

Attached sessions are searched and read like stored ones and win over a stored log of the same source and id. Nothing of
them becomes durable; after detaching, the stored log is what it was.
"""

from collections.abc import Iterable

from backstory.engine.query.service import QueryService
from backstory.errors import SourceConflictError
from backstory.index.live import Event, LiveSessions
from backstory.records.live import Attached, LiveHeader


class Live:
    """The live side of one engine. Methods may be called from several threads at once."""

    def __init__(self, sessions: LiveSessions, queries: QueryService) -> None:
        self._sessions = sessions
        self._queries = queries

    def attach(self, header: LiveHeader, events: Iterable[Event] = ()) -> Attached:
        """Makes a session live with the events it has so far: drafts, or raw records of its source.

        Raises:
            SourceConflictError: it is attached already, or its header contradicts the stored log.
            UsageError: an event is damaged or repeats a number.
        """
        told = self._sessions.attach(header, events)
        if (header.source, header.id) in self._queries.conflicts():
            self._sessions.detach(header.source, header.id)
            raise SourceConflictError(f"session {header.source}:{header.id} contradicts its stored log")
        return told

    def append(self, source: str, session: str, events: Iterable[Event]) -> Attached:
        """Adds events to a live session, all or none; the next query sees them.

        Raises:
            UnknownSessionError: it is not attached.
            UsageError: an event is damaged or repeats a number.
        """
        return self._sessions.append(source, session, events)

    def detach(self, source: str, session: str) -> bool:
        """Ends a live session and reveals its stored log, if any; False when it was not attached."""
        return self._sessions.detach(source, session)

    def attached(self) -> list[Attached]:
        """What is live now."""
        return self._sessions.attached()
