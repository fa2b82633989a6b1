"""Historical evidence: the earlier messages of the branch that a call quotes for its request.

Before it: `engine.planning.recall` (finds candidates that a first plan does not commit anyway),
`plan.evidence.matching` (which match, and how well), `plan.evidence.quotations` (how they are quoted). After it:
`plan.planner`.
"""

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import partial

import msgspec

from backstory.plan.evidence.matching import Match, Wanted, matches
from backstory.plan.evidence.quotations import excerpt, line, listings, quotation
from backstory.privacy import classify
from backstory.records.base import Record
from backstory.records.evidence import Said
from backstory.records.plan import Supplement
from backstory.text.quoting import quote

_LEAST_TOKENS = 48
_PATIENCE = 4  # how many matches may be too long for what is left before none is quoted any more
_COMPARED = 1_000
_LEAST_LINE = 12


class Recalled(Record, frozen=True):
    """The quotations and counts for a report.

    `candidates` could have been quoted, `committed` are in the call anyway, `alternates` stand on other branches.
    `refused` are the best of them that may not be quoted.
    Status is complete, no-query (the request names nothing to look for), disabled (nothing may be added) or not-indexed
    (the session is not in the index yet).
    """

    supplements: tuple[Supplement, ...] = ()
    candidates: int = 0
    duplicates: int = 0
    committed: int = 0
    alternates: int = 0
    status: str = "complete"
    refused: tuple[Said, ...] = ()


class Note(msgspec.Struct):
    """What was worked out of one message that matched.

    Why it did, what its text is compared by, its line, the level that it is marked with, and the excerpt of it that was
    quoted last, with its size.
    """

    match: Match
    held: Container[str]
    compared: str | None = None
    line: str | None = None
    level: str | None = None
    cut: tuple[int, str] = (0, "")


class Notes(msgspec.Struct):
    """What was worked out of messages for a request, by sequence number: it goes from call to call of a session."""

    wanted: Wanted = Wanted()
    of: dict[int, Note] = msgspec.field(default_factory=dict)

    def matching(
        self, history: Sequence[Said], wanted: Wanted, holders: Mapping[int, Container[str]] | None
    ) -> list[Match]:
        """The messages that match, which is worked out anew for those that are not the same as when it was noted."""
        if self.wanted != wanted:
            self.wanted, self.of = wanted, {}
        found: list[Match] = []
        for said in history:
            held = holders.get(said.seq, ()) if holders is not None else ()
            note = self.of.get(said.seq)
            if note is None or note.match.said is not said or note.held != held:
                self.of.pop(said.seq, None)
                for match in matches([said], wanted, holders):
                    self.of[said.seq] = Note(match, held)
                    found.append(match)
            else:
                found.append(note.match)
        return found


def recall(matching: Sequence[Match], notes: Notes, *, most: int, room: int, cost: Callable[[str], int]) -> Recalled:
    """The first of some messages that match, at most `most` within `room` tokens.

    They were found by `notes` and are best first. What room is left when those are quoted, further ones use as short
    lines, several to a quotation.
    """
    order, seen = iter(matching), _Seen(notes.of)
    quoted = _quoted(order, seen, most, room, cost)
    room -= sum(one.tokens for one in quoted)
    written = ((match, seen.level(match), seen.line(match)) for match in _rest(order, seen, room))
    return Recalled((*quoted, *listings(written, room, cost)), len(matching), seen.duplicates)


class _Seen:
    """Texts that are quoted already, and how many came again."""

    def __init__(self, notes: Mapping[int, Note]) -> None:
        self._notes = notes
        self._texts: set[str] = set()
        self.duplicates = 0

    def new(self, said: Said) -> str | None:
        """What a text is compared by, None for one that is quoted already."""
        note = self._notes[said.seq]
        if note.compared is None:
            note.compared = _compared(said.text)
        if note.compared in self._texts:
            self.duplicates += 1
            return None
        return note.compared

    def add(self, text: str) -> None:
        """Let a text be quoted, as `new` gives it."""
        self._texts.add(text)

    def quoted(self, match: Match, chars: int) -> str:
        """An excerpt of a match as it is quoted; neither depends on its score."""
        note = self._notes[match.said.seq]
        if note.cut[0] != chars:
            note.cut = chars, quote(classify.strip(excerpt(match.said.text, match, chars)))
        return note.cut[1]

    def level(self, match: Match) -> str:
        """The highest level that the message of a match is marked with."""
        note = self._notes[match.said.seq]
        if note.level is None:
            note.level = classify.level(match.said.text)
        return note.level

    def line(self, match: Match) -> str:
        """The line of a match; its score does not stand there."""
        note = self._notes[match.said.seq]
        if note.line is None:
            note.line = line(match)
        return note.line


def _quoted(order: Iterator[Match], seen: _Seen, most: int, room: int, cost: Callable[[str], int]) -> list[Supplement]:
    """The best that fit by themselves; one that does not may be followed by shorter ones."""
    chosen: list[Supplement] = []
    missed = 0
    for match in order:
        text = seen.new(match.said)
        if text is None:
            continue
        made = None
        if room >= _LEAST_TOKENS:
            made = quotation(match, seen.level(match), room, cost, partial(seen.quoted, match))
        if made is not None:
            seen.add(text)
            chosen.append(made)
            room -= made.tokens
        else:
            missed += 1
        if len(chosen) == most or missed == _PATIENCE:
            break
    return chosen


def _rest(order: Iterator[Match], seen: _Seen, room: int) -> list[Match]:
    """Further matches, as many as there might be room for as short lines."""
    found: list[Match] = []
    for match in order:
        text = seen.new(match.said)
        if text is None:
            continue
        if len(found) * _LEAST_LINE > room:
            break
        seen.add(text)
        found.append(match)
    return found


def _compared(text: str) -> str:
    """What two texts must share to count as the same: beginning and end, whatever their blanks and case."""
    ends = text if len(text) <= _COMPARED else f"{text[: _COMPARED // 2]} {len(text)} {text[-_COMPARED // 2 :]}"
    return " ".join(ends.split()).lower()
