"""Historical evidence: earlier messages of the branch that share names, phrases or words with the request, quoted.

Only what a plan does not commit anyway is a candidate, and only with at least one verified match: a word counts where
it stands as a word. The score explains a rank; it is no confidence. Before it: `retrieve.task` (what the request
names), a first plan (what is committed). After it: `plan.planner`.
"""

import re
from collections.abc import Callable, Container, Sequence
from datetime import UTC, datetime

from backstory.records.base import Record
from backstory.records.evidence import Said
from backstory.records.plan import Supplement
from backstory.text import quoting
from backstory.text.tokens import units

_AUTHORITY = {"user": 8, "assistant": 5, "call": 5, "result": 4}
_LEAST, _MOST_CHARS, _SHRINK = 256, 6_000, 0.7
_LEAST_TOKENS = 48
_EDGE_WORD = re.compile(r"\w")


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


class Recalled(Record, frozen=True):
    """The quotations and counts for a report."""

    supplements: tuple[Supplement, ...] = ()
    candidates: int = 0
    duplicates: int = 0
    committed: int = 0


def recall(
    history: Sequence[Said],
    wanted: Wanted,
    committed: Container[int],
    *,
    most: int,
    room: int,
    cost: Callable[[str], int],
) -> Recalled:
    """The best earlier messages, at most `most` within `room` tokens; `committed` are sequence numbers already sent."""
    if not wanted.terms or most <= 0 or room <= 0:
        return Recalled()
    found = matches(history, wanted)
    open_ = [match for match in found if match.said.seq not in committed]
    seen: set[str] = set()
    chosen: list[Supplement] = []
    duplicates = 0
    for match in ranked(open_):
        if len(chosen) == most or room < _LEAST_TOKENS:
            break
        text = " ".join(match.said.text.split()).lower()
        if text in seen:
            duplicates += 1
            continue
        made = _quotation(match, room, cost)
        if made is not None:
            seen.add(text)
            chosen.append(made)
            room -= made.tokens
    return Recalled(tuple(chosen), len(found), duplicates, len(found) - len(open_))


def ranked(found: Sequence[Match]) -> list[Match]:
    """Matches with their scores, best first."""
    return sorted(
        _scored(found), key=lambda match: (-match.tier, -match.score, -(match.said.time or 0), match.said.seq)
    )


def matches(history: Sequence[Said], wanted: Wanted) -> list[Match]:
    """Entries with a verified match. Identifiers and words match as whole words, without regard to case."""
    words = [term for term in wanted.terms if term not in wanted.identifiers and term not in wanted.phrases]
    found = []
    for said in history:
        text = said.text.lower()
        names = tuple(name for name in wanted.identifiers if stands_in(name.lower(), text))
        phrases = tuple(phrase for phrase in wanted.phrases if phrase.lower() in text)
        hits = tuple(word for word in words if stands_in(word.lower(), text))
        if names or phrases or hits:
            found.append(Match(said, 0.0, names, phrases, hits))
    return found


def stands_in(word: str, text: str) -> bool:
    """Whether a word stands in a text as a word of its own; both in lower case."""
    at = text.find(word)
    while at >= 0:
        before, after = text[at - 1 : at], text[at + len(word) : at + len(word) + 1]
        if not (_EDGE_WORD.match(before) and _EDGE_WORD.match(word)) and not (
            _EDGE_WORD.match(after) and _EDGE_WORD.match(word[-1])
        ):
            return True
        at = text.find(word, at + 1)
    return False


def _scored(found: Sequence[Match]) -> list[Match]:
    times = [match.said.time or 0 for match in found]
    oldest, span = min(times, default=0), max(times, default=0) - min(times, default=0)
    by_words = sorted(range(len(found)), key=lambda at: -len(found[at].words))
    order = {at: rank for rank, at in enumerate(by_words)}
    return [
        Match(match.said, _score(match, order[at], (times[at] - oldest) / span if span else 0.0), *_shared(match))
        for at, match in enumerate(found)
    ]


def _score(match: Match, order: int, recency: float) -> float:
    names, phrases, words = len(match.identifiers), len(match.phrases), len(match.words)
    score = 15.0 + _AUTHORITY.get(match.said.voice, 1) + 8 * recency
    score += 100 + min(12, 3 * (names - 1)) if names else 0
    score += 85 + min(8, 2 * (phrases - 1)) if phrases else 0
    score += 60 + max(0, 10 - order) if words else 0
    score += min(80, 40 * max(0, names + phrases + words - 1))
    score += 10 * names
    return round(score - min(12.0, len(match.said.text) / 4_000), 6)


def _shared(match: Match) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    return match.identifiers, match.phrases, match.words


def _quotation(match: Match, room: int, cost: Callable[[str], int]) -> Supplement | None:
    """An excerpt that fits, None when even a short one does not."""
    chars = min(_MOST_CHARS, max(_LEAST, 4 * room - 800))
    while True:
        text = _rendered(match, chars)
        tokens = cost(text)
        if tokens <= room:
            name = match.said.entry_id or str(match.said.seq)
            return Supplement(
                f"entry:{name}", "retrieval", text, tokens, (name,), match.score, "normal", _counted(match)
            )
        if chars <= _LEAST:
            return None
        chars = max(_LEAST, int(chars * _SHRINK))


def _rendered(match: Match, chars: int) -> str:
    said = match.said
    when = datetime.fromtimestamp(said.time / 1_000, UTC).isoformat() if said.time else "unknown"
    facts = [
        ("Source entry", quoting.quote(said.entry_id or str(said.seq))),
        ("Date", when),
        ("Original role", quoting.quote(said.voice)),
        ("Retrieval score", f"{match.score:.3f}"),
        ("Reason", quoting.quote(reason(match))),
    ]
    return quoting.render(quoting.EVIDENCE, facts, excerpt(said.text, match, chars))


def excerpt(text: str, match: Match, chars: int) -> str:
    """A window with the earliest match a third into it; `…` marks a side that was cut."""
    if units(text) <= chars:
        return text
    lower = text.lower()
    places = [lower.find(term.lower()) for term in (*match.identifiers, *match.phrases, *match.words)]
    first = min((place for place in places if place >= 0), default=0)
    start = max(0, min(first - chars // 3, len(text) - chars))
    stop = start + chars
    return ("…" if start else "") + text[start:stop] + ("…" if stop < len(text) else "")


def reason(match: Match) -> str:
    """What a match shares with the request, in words."""
    parts = [
        ("names", match.identifiers),
        ("phrases", match.phrases),
        ("words", match.words),
    ]
    return "shares " + "; ".join(f"{label} {', '.join(found[:6])}" for label, found in parts if found)


def _counted(match: Match) -> str:
    """The reason without any word of the text, for records that hold none."""
    counts = (("name", match.identifiers), ("phrase", match.phrases), ("word", match.words))
    parts = [f"{len(found)} {label}{'s' if len(found) > 1 else ''}" for label, found in counts if found]
    return f"shares {', '.join(parts)} with the request"
