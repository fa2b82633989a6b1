"""What an engine keeps of the project that it asked last: the open index, and the answer to the last request.

Calls of one turn ask the same. An answer holds while the index is what it was; whether its files are still those that
were indexed is for `engine.project.verified` to find out, in every call. Neighbours: `engine.open` owns it.
"""

from collections.abc import Callable, Sequence

import msgspec

from backstory.records.project import SearchResult, SourceEvidence
from backstory.store.project.database import ProjectStore
from backstory.store.project.search import FileFact

LOOK_SECONDS = 10.0


class ProjectAnswer(msgspec.Struct, frozen=True):
    """An answer, the quoted records made from it, and the files that it depends on."""

    files: Sequence[FileFact]
    evidence: tuple[SourceEvidence, ...]
    found: SearchResult


class OpenProject:
    """The index that was asked last, and one answer. For one thread, as its engine is."""

    def __init__(self) -> None:
        self._store: ProjectStore | None = None
        self._answer: tuple[tuple[object, ...], ProjectAnswer] | None = None
        self._looked: tuple[str, float] | None = None

    def due(self, root: str, now: float) -> bool:
        """Whether a root is to be looked into for changes at this second of the clock; it counts as done then.

        A look at 50,000 files takes longer than a whole plan, and calls follow each other closely.
        """
        if self._looked is not None and self._looked[0] == root and now - self._looked[1] < LOOK_SECONDS:
            return False
        self._looked = root, now
        return True

    def store(self, path: str, opened: Callable[[], ProjectStore]) -> ProjectStore:
        """The index at a path, open; `opened` opens it, again when another file is there by now.

        Raises:
            UntrustedProjectError, DatabaseError: what `opened` raises.
        """
        if self._store is not None and not (self._store.path == path and self._store.stands()):
            self.close()
        if self._store is None:
            self._store = opened()
        return self._store

    def answer(self, key: tuple[object, ...]) -> ProjectAnswer | None:
        """The last answer if it was given to this."""
        return self._answer[1] if self._answer is not None and self._answer[0] == key else None

    def put(self, key: tuple[object, ...], answer: ProjectAnswer) -> None:
        """Keep an answer in place of the one before."""
        self._answer = key, answer

    def close(self) -> None:
        """Let go of all of it."""
        self._answer = None
        if self._store is not None:
            self._store.close()
            self._store = None
