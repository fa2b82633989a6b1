"""Fills transcripts, from the history database or from a log itself, and keeps those that were used last.

A transcript goes on from where it stood as long as everything before is what it was; otherwise it is made anew. What it
costs to keep them is bounded by their number and by the entries they hold together.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from backstory.engine.following import Followed
from backstory.engine.transcript import Transcript
from backstory.records.session import Kind
from backstory.store import context
from backstory.store.history import History

if TYPE_CHECKING:
    from backstory.records.browsing import SessionRow
    from backstory.store.context import Text

MOST, MOST_ENTRIES = 8, 100_000
_Kept = tuple[tuple[int, int], Transcript, tuple[object, ...]]


class Shelf:
    """The transcripts of one engine: those of stored sessions by key, those of followed logs by path."""

    def __init__(self) -> None:
        self._stored: dict[int, _Kept] = {}
        self._followed: dict[str, Followed] = {}

    def stored(self, history: History, key: int, row: "SessionRow") -> Transcript:
        """The transcript of a session in the history database, as it stands there now."""
        revision, facts = context.revision(history, key)
        known = self._stored.pop(key, None)
        found, standing = (known[1], known[2]) if known is not None else (None, ())
        if known is None or found is None or known[0] != revision:
            last = found.entries[-1].seq if found is not None and found.entries else -1
            if found is not None and context.standing(history, key, last) != standing:
                found, last = None, -1
            if found is None:
                found = Transcript(row, key, _Texts(history, key))
            found.take(context.placed(history, key, last))
            found.shape, found.rules, found.row = facts.shape, facts.rules, row
            if any(one.kind == Kind.LABEL for one in found.entries):
                found.label((target, text) for _, target, text in context.labels(history, key))
            standing = context.standing(history, key, found.entries[-1].seq if found.entries else -1)
        self._stored[key] = revision, found, standing
        _bound(self._stored)
        return found

    def followed(self, history: History, source: str, path: str) -> Transcript:
        """The transcript of a log as it stands in its file now; an index is not needed.

        Raises:
            UnreadableSourceError: the file cannot be read.
        """
        known = self._followed.pop(path, None)
        if known is None or known.source != source or not known.grown():
            known = Followed(history, source, path)
        self._followed[path] = known
        _bound(self._followed)
        return known.transcript


class _Texts:
    """Looks up what was said in a stored session."""

    def __init__(self, history: History, key: int) -> None:
        self._history = history
        self._key = key

    def __call__(self, seqs: Sequence[int]) -> "Sequence[Text]":
        return context.said(self._history, self._key, seqs)


def _bound(kept: dict[Any, Any]) -> None:
    """Let go of those used longest ago; the one used last always stays."""
    while len(kept) > 1 and (len(kept) > MOST or sum(map(_size, kept.values())) > MOST_ENTRIES):
        del kept[next(iter(kept))]


def _size(kept: _Kept | Followed) -> int:
    return len((kept.transcript if isinstance(kept, Followed) else kept[1]).entries)
