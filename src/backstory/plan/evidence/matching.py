"""Which earlier messages share names, phrases or words with a request, and in what order.

Only with at least one verified match is an entry a candidate: a word counts where it stands as a word. The score
explains a rank; it is no confidence. Before it: `retrieve.task` (what the request names). After it:
`plan.evidence.recall`.
"""

import re
from collections.abc import Container, Mapping, Sequence
from functools import cached_property
from unicodedata import normalize

from backstory.records.base import Record
from backstory.records.evidence import Said
from backstory.text.accents import folded

_AUTHORITY = {"user": 8, "assistant": 5, "call": 5, "result": 4}
_LETTER = re.compile(r"\w")
_IDEOGRAPHS = "\u2e80"
_ACCENTS = re.compile("[\u0300-\u036f]+")
_ACCENTED = re.compile("[\u00c0-\u024f\u0300-\u036f\u1e00-\u1eff]")


class Wanted(Record, frozen=True):
    """What the request names; see `retrieve.task.Task`."""

    identifiers: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    terms: tuple[str, ...] = ()


class Match(Record, frozen=True):
    """One entry with what it shares with the request."""

    said: Said
    score: float
    identifiers: tuple[str, ...]
    phrases: tuple[str, ...]
    words: tuple[str, ...]

    @property
    def tier(self) -> int:
        """2 for a shared name, 1 for a shared phrase, else 0."""
        return 2 if self.identifiers else 1 if self.phrases else 0


def ranked(unranked: Sequence[Match], weights: Mapping[int, float] | None = None) -> list[Match]:
    """Matches with their scores, best first; `weights` say what the terms of each entry, by its number, are worth."""
    return sorted(
        _scored(unranked, weights),
        key=lambda match: (-match.tier, -match.score, -(match.said.time or 0), match.said.seq),
    )


def matches(
    history: Sequence[Said], wanted: Wanted, holders: Mapping[int, Container[str]] | None = None
) -> list[Match]:
    """Entries with a verified match. Identifiers and words match as whole words, without regard to case or accents.

    `holders` are the terms that an index found by sequence number: names and phrases among them are verified, plain
    words are taken as they are, in any form that has the same stem.
    """
    words = [term for term in wanted.terms if term not in wanted.identifiers and term not in wanted.phrases]
    found = []
    for said in history:
        held = holders.get(said.seq, ()) if holders is not None else wanted.terms
        text = _Text(said.text)
        names = tuple(name for name in wanted.identifiers if name in held and text.holds(name))
        phrases = tuple(phrase for phrase in wanted.phrases if phrase in held and text.has(phrase))
        hits = tuple(word for word in words if word in held and (holders is not None or text.holds(word)))
        if names or phrases or hits:
            found.append(Match(said, 0.0, names, phrases, hits))
    return found


class _Text:
    """A text as it is compared: in lower case, and without accents where it has any and that makes a difference."""

    def __init__(self, text: str) -> None:
        self._text = text

    def holds(self, word: str) -> bool:
        """Whether a word stands in it as a word of its own."""
        return stands_in(word.lower(), self._lower) or (
            self._plain is not None and stands_in(folded(word), self._plain)
        )

    def has(self, phrase: str) -> bool:
        """Whether a phrase stands anywhere in it."""
        return phrase.lower() in self._lower or (self._plain is not None and folded(phrase) in self._plain)

    @cached_property
    def _lower(self) -> str:
        return self._text.lower()

    @cached_property
    def _plain(self) -> str | None:
        if self._text.isascii() or not _ACCENTED.search(self._text):
            return None
        return _ACCENTS.sub("", normalize("NFKD", self._lower))


def stands_in(word: str, text: str) -> bool:
    """Whether a word stands in a text as a word of its own; both in lower case. Ideographs are words by themselves."""
    at = text.find(word)
    while at >= 0:
        after = text[at + len(word) : at + len(word) + 1]
        if not (_glued(text[at - 1 : at], word[:1]) or _glued(word[-1:], after)):
            return True
        at = text.find(word, at + 1)
    return False


def _glued(left: str, right: str) -> bool:
    return bool(_LETTER.match(left) and _LETTER.match(right)) and max(left, right) < _IDEOGRAPHS


def _scored(found: Sequence[Match], weights: Mapping[int, float] | None) -> list[Match]:
    times = [match.said.time or 0 for match in found]
    oldest, span = min(times, default=0), max(times, default=0) - min(times, default=0)
    if weights is None:
        weights = {one.said.seq: len(one.identifiers) + len(one.phrases) + len(one.words) for one in found}
    heaviest = max((weights.get(match.said.seq, 0.0) for match in found), default=0.0) or 1.0
    return [
        Match(
            match.said,
            _score(match, weights.get(match.said.seq, 0.0) / heaviest, (times[at] - oldest) / span if span else 0.0),
            *_shared(match),
        )
        for at, match in enumerate(found)
    ]


def _score(match: Match, weight: float, recency: float) -> float:
    names, phrases, words = len(match.identifiers), len(match.phrases), len(match.words)
    score = 15.0 + _AUTHORITY.get(match.said.voice, 1) + 8 * recency + 90 * weight
    score += 100 + min(12, 3 * (names - 1)) if names else 0
    score += 85 + min(8, 2 * (phrases - 1)) if phrases else 0
    score += 60 if words else 0
    score += 10 * names
    return round(score - min(12.0, len(match.said.text) / 4_000), 6)


def _shared(match: Match) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return match.identifiers, match.phrases, match.words
