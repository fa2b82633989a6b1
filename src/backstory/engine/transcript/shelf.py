"""Fills transcripts, from the history database or from a log itself, and keeps those that were used last.

A transcript goes on from where it stood as long as everything before is what it was; otherwise it is made anew. What it
costs to keep them is bounded by their number and by the entries they hold together.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from backstory.engine.transcript.log import Followed
from backstory.engine.transcript.session import Transcript
from backstory.records.session import Kind
from backstory.store import context
from backstory.store.context import Fingerprint
from backstory.store.history import History

if TYPE_CHECKING:
    from backstory.records.browsing import SessionRow
    from backstory.store.context import EntryText

MOST, MOST_ENTRIES = 8, 100_000


class _Stored(msgspec.Struct):
    """A transcript, the revision of its session that it was filled at, and how the entries it holds stood then."""

    transcript: Transcript
    revision: tuple[int, int]
    fingerprint: Fingerprint


class Shelf:
    """The transcripts of one engine: those of stored sessions by key, those of followed logs by path."""

    def __init__(self) -> None:
        self._stored: dict[int, _Stored] = {}
        self._followed: dict[str, Followed] = {}

    def stored(self, history: History, key: int, row: "SessionRow") -> Transcript:
        """The transcript of a session in the history database, as it stands there now."""
        revision, facts = context.revision(history, key)
        known = self._stored.pop(key, None)
        if known is None or known.revision != revision:
            if known is None or context.fingerprint(history, key, _last(known.transcript)) != known.fingerprint:
                known = _Stored(Transcript(row, key, _Texts(history, key)), revision, Fingerprint())
            _grow(known, history, key)
            known.revision = revision
            known.transcript.know(row)
            known.transcript.shape, known.transcript.rules = facts.shape, facts.rules
        self._stored[key] = known
        _bound(self._stored)
        return known.transcript

    def followed(self, history: History, source: str, path: str) -> Transcript:
        """The transcript of a log as it stands in its file now; an index is not needed.

        Raises:
            UnreadableSourceError: the file cannot be read.
        """
        known = self._followed.pop(path, None)
        if known is None or known.source != source or not known.grown():
            known = Followed(history, source, path)
        known.look()
        self._followed[path] = known
        _bound(self._followed)
        return known.transcript


class _Texts:
    """Looks up what was said in a stored session."""

    def __init__(self, history: History, key: int) -> None:
        self._history = history
        self._key = key

    def __call__(self, seqs: Sequence[int]) -> "Sequence[EntryText]":
        return context.said(self._history, self._key, seqs)


def _grow(known: _Stored, history: History, key: int) -> None:
    """Take in the entries that a session gained."""
    transcript = known.transcript
    before = _last(transcript)
    new = context.entries(history, key, before)
    transcript.take(new)
    if transcript.pinned or any(entry.kind == Kind.LABEL for entry in new):
        transcript.label((target, text) for _, target, text in context.labels(history, key))
    known.fingerprint = known.fingerprint.then(context.fingerprint(history, key, _last(transcript), before))


def _last(transcript: Transcript) -> int:
    """The sequence number of the last entry it holds, -1 when it holds none."""
    return transcript.entries[-1].seq if transcript.entries else -1


def _bound(kept: dict[Any, _Stored] | dict[Any, Followed]) -> None:
    """Let go of those used longest ago; the one used last always stays."""
    while len(kept) > 1 and (len(kept) > MOST or sum(map(_size, kept.values())) > MOST_ENTRIES):
        del kept[next(iter(kept))]


def _size(kept: _Stored | Followed) -> int:
    return len(kept.transcript.entries)
