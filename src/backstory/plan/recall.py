"""Historical evidence: earlier messages of the branch that share names, phrases or words with the request, quoted.

Only with at least one verified match is an entry a candidate: a word counts where it stands as a word. The score
explains a rank; it is no confidence. Before it: `retrieve.task` (what the request names), `engine.recalling` (finds
candidates that a first plan does not commit anyway). After it: `plan.planner`.
"""

import re
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from unicodedata import normalize

from backstory.records.base import Record
from backstory.records.evidence import Said
from backstory.records.plan import Supplement
from backstory.text import quoting
from backstory.text.accents import folded
from backstory.text.tokens import units

_AUTHORITY = {"user": 8, "assistant": 5, "call": 5, "result": 4}
_LEAST, _MOST_CHARS, _SHRINK = 256, 6_000, 0.7
_LEAST_TOKENS = 48
_PATIENCE = 4  # how many matches may be too long for what is left before none is quoted any more
_COMPARED = 1_000
_LEAST_LINE = 12
_LINE_CHARS, _LINES_TOKENS, _LINES_FRAME = 300, 1_600, 110
_ALSO = "further messages that share words with the request"
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


class Recalled(Record, frozen=True):
    """The quotations and counts for a report.

    `candidates` could have been quoted, `committed` are in the call anyway, `alternates` stand on other branches.
    Status is complete, no-query (the request names nothing to look for), disabled (nothing may be added) or not-indexed
    (the session is not in the index yet).
    """

    supplements: tuple[Supplement, ...] = ()
    candidates: int = 0
    duplicates: int = 0
    committed: int = 0
    alternates: int = 0
    status: str = "complete"


def recall(
    history: Sequence[Said],
    wanted: Wanted,
    holders: Mapping[int, Container[str]] | None = None,
    weights: Mapping[int, float] | None = None,
    *,
    most: int,
    room: int,
    cost: Callable[[str], int],
) -> Recalled:
    """The best of some earlier messages, at most `most` within `room` tokens.

    `holders` and `weights` are what an index knows of them, see `matches` and `ranked`. What room is left when the best
    are quoted, further matches use as short lines, several to a quotation.
    """
    if not wanted.terms or most <= 0 or room <= 0:
        return Recalled(status="no-query" if not wanted.terms else "disabled")
    found = matches(history, wanted, holders)
    seen: set[str] = set()
    chosen: list[Supplement] = []
    duplicates = 0
    rest: list[Match] = []
    missed = 0
    for match in ranked(found, weights):
        text = _compared(match.said.text)
        if text in seen:
            duplicates += 1
            continue
        if len(chosen) == most or missed == _PATIENCE:
            if len(rest) * _LEAST_LINE > room:
                break
            seen.add(text)
            rest.append(match)
            continue
        made = _quotation(match, room, cost) if room >= _LEAST_TOKENS else None
        if made is not None:
            seen.add(text)
            chosen.append(made)
            room -= made.tokens
        else:
            missed += 1
    return Recalled((*chosen, *_lines(rest, room, cost)), len(found), duplicates)


def ranked(found: Sequence[Match], weights: Mapping[int, float] | None = None) -> list[Match]:
    """Matches with their scores, best first; `weights` say what the terms of each entry, by its number, are worth."""
    return sorted(
        _scored(found, weights), key=lambda match: (-match.tier, -match.score, -(match.said.time or 0), match.said.seq)
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


def _compared(text: str) -> str:
    """What two texts must share to count as the same: beginning and end, whatever their blanks and case."""
    ends = text if len(text) <= _COMPARED else f"{text[: _COMPARED // 2]} {len(text)} {text[-_COMPARED // 2 :]}"
    return " ".join(ends.split()).lower()


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


def _quotation(match: Match, room: int, cost: Callable[[str], int]) -> Supplement | None:
    """An excerpt that fits, None when even a short one does not."""
    chars = min(_MOST_CHARS, max(_LEAST, 4 * room - 800))
    while True:
        text = _rendered(match, chars)
        tokens = cost(text)
        if tokens <= room:
            name = _name(match.said)
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
        ("Source entry", quoting.quote(_name(said))),
        ("Date", when),
        ("Original role", quoting.quote(said.voice)),
        ("Retrieval score", f"{match.score:.3f}"),
        ("Reason", quoting.quote(reason(match))),
    ]
    return quoting.render(quoting.EVIDENCE, facts, excerpt(said.text, match, chars))


def _lines(rest: Sequence[Match], room: int, cost: Callable[[str], int]) -> Iterator[Supplement]:
    """Further matches as lines of where, who, when and what; a quotation holds as many as fit its size."""
    lines: list[str] = []
    held: list[Match] = []
    size, empty = _LINES_FRAME, cost("")
    for match in rest:
        line = _line(match)
        tokens = cost(line) - empty
        if held and size + tokens > min(room, _LINES_TOKENS):
            made = _listing(held, lines, cost)
            if made.tokens > room:
                return
            yield made
            room -= made.tokens
            lines, held, size = [], [], _LINES_FRAME
        lines.append(line)
        held.append(match)
        size += tokens
    if held and (made := _listing(held, lines, cost)).tokens <= room:
        yield made


def _listing(held: Sequence[Match], lines: Sequence[str], cost: Callable[[str], int]) -> Supplement:
    names = tuple(_name(match.said) for match in held)
    facts = [("Entries", str(len(held))), ("Form", "#entry who when: text"), ("Reason", quoting.quote(_ALSO))]
    text = quoting.render(quoting.EVIDENCE, facts, "\n".join(lines))
    return Supplement(f"also:{names[0]}", "retrieval", text, cost(text), names, held[0].score, "normal", _ALSO)


def _line(match: Match) -> str:
    said = match.said
    when = datetime.fromtimestamp(said.time / 1_000, UTC).strftime("%Y-%m-%d") if said.time else ""
    text = " ".join(excerpt(said.text, match, _LINE_CHARS).split())
    return f"#{said.seq} {said.voice} {when}: {text}"


def _name(said: Said) -> str:
    return said.entry_id or str(said.seq)


def excerpt(text: str, match: Match, chars: int) -> str:
    """A window with the earliest match a third into it; `…` marks a side that was cut."""
    if units(text) <= chars:
        return text
    first = _earliest(text, (*match.identifiers, *match.phrases, *match.words))
    start = max(0, min(first - chars // 3, len(text) - chars))
    stop = start + chars
    return ("…" if start else "") + text[start:stop] + ("…" if stop < len(text) else "")


def _earliest(text: str, terms: Sequence[str]) -> int:
    """Where the first of the terms stands; only when none does as it is spelled, in any case, else at the start."""
    places = [place for term in terms if (place := text.find(term)) >= 0]
    if not places:
        lower = text.lower()
        places = [place for term in terms if (place := lower.find(term.lower())) >= 0]
    return min(places, default=0)


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
