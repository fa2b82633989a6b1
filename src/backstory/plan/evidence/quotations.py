"""Earlier messages as quoted data: the best by themselves, with where they come from and why, others as short lines.

What is quoted is cut around the match. Reasons that are kept in records hold counts, never a word of the text.
Before it: `plan.evidence.matching`. After it: `plan.evidence.recall`.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime

from backstory.plan.evidence.matching import Match
from backstory.privacy import classify
from backstory.records.evidence import Said
from backstory.records.plan import Supplement
from backstory.text import quoting
from backstory.text.locate import lowered
from backstory.text.tokens import units

_LEAST, _MOST_CHARS, _SHRINK = 256, 6_000, 0.7
_LINE_CHARS, _LINES_TOKENS, _LINES_FRAME = 300, 1_600, 110
_DAY = 10  # characters of an ISO date without the time of day
_ALSO = "further messages that share words with the request"


def quotation(
    match: Match, level: str, room: int, cost: Callable[[str], int], quoted: Callable[[int], str]
) -> Supplement | None:
    """An excerpt that fits, None when even a short one does not; `quoted` gives one of so many characters, quoted.

    `level` is what the message is marked with: what is quoted of it has no marks.
    """
    chars = min(_MOST_CHARS, max(_LEAST, 4 * room - 800))
    while True:
        text = _rendered(match, quoted(chars))
        tokens = cost(text)
        if tokens <= room:
            name = _name(match.said)
            return Supplement(f"entry:{name}", "retrieval", text, tokens, (name,), match.score, level, _counted(match))
        if chars <= _LEAST:
            return None
        chars = max(_LEAST, int(chars * _SHRINK))


def _rendered(match: Match, quoted: str) -> str:
    said = match.said
    facts = [
        ("Source entry", quoting.quote(_name(said))),
        ("Date", _date(said.time) or "unknown"),
        ("Original role", quoting.quote(said.voice)),
        ("Retrieval score", f"{match.score:.3f}"),
        ("Reason", quoting.quote(reason(match))),
    ]
    return quoting.enclose(quoting.EVIDENCE, facts, quoted)


def listings(rest: Iterable[tuple[Match, str, str]], room: int, cost: Callable[[str], int]) -> Iterator[Supplement]:
    """Further matches by their levels and lines; a quotation holds as many as fit its size."""
    said: list[str] = []
    held: list[tuple[Match, str]] = []
    size, empty = _LINES_FRAME, cost("")
    for match, level, written in rest:
        tokens = cost(written) - empty
        if held and size + tokens > min(room, _LINES_TOKENS):
            made = _listing(held, said, cost)
            if made.tokens > room:
                return
            yield made
            room -= made.tokens
            said, held, size = [], [], _LINES_FRAME
        said.append(written)
        held.append((match, level))
        size += tokens
    if held and (made := _listing(held, said, cost)).tokens <= room:
        yield made


def _listing(held: Sequence[tuple[Match, str]], said: Sequence[str], cost: Callable[[str], int]) -> Supplement:
    names, best = tuple(_name(match.said) for match, _ in held), held[0][0]
    facts = [("Entries", str(len(held))), ("Form", "#entry who when: text"), ("Reason", quoting.quote(_ALSO))]
    text = quoting.render(quoting.EVIDENCE, facts, "\n".join(said))
    level = classify.highest({level for _, level in held})
    return Supplement(f"also:{names[0]}", "retrieval", text, cost(text), names, best.score, level, _ALSO)


def line(match: Match) -> str:
    """A match on one line: where, who, when and what."""
    said = match.said
    text = " ".join(classify.strip(excerpt(said.text, match, _LINE_CHARS)).split())
    return f"#{said.seq} {said.voice} {_date(said.time)[:_DAY]}: {text}"


def _date(time: int | None) -> str:
    """A time in milliseconds as a date with time of day; nothing for one that no calendar has."""
    try:
        return datetime.fromtimestamp(time / 1_000, UTC).isoformat() if time else ""
    except (OverflowError, ValueError, OSError):
        return ""


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
        lower = lowered(text)
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
