"""Turns a working set into the two supplements made from it: the card and the coverage excerpts, each as one quotation.

Sizes are tokens of the finished message: what quoting adds is part of the budget, so a draft that comes out too long is
made again with less room. Before it: `card`, `coverage`, `worth`. After it: `plan.planner`.
"""

from collections.abc import Callable, Container, Mapping, Sequence

import msgspec

from backstory.plan import card as cards
from backstory.plan import coverage, worth
from backstory.plan.working import WorkingSet
from backstory.records.base import Record
from backstory.records.plan import Supplement
from backstory.text import quoting

_CHARS_PER_TOKEN = 4
_FRAME = 100
_ATTEMPTS = 4
_LISTED = 0.98
_CARD_REASON = "exact names that the recent messages do not show"
_EXCERPT_REASON = "short passages with the most that nothing else shows"
_NOTE = "Paths are relative to the working folder."


class Asked(Record, frozen=True):
    """What extracts are for: a request, the one before it, and the position from which on everything is shown anyway.

    `card` and `excerpts` are tokens.
    """

    request: str
    previous: str
    until: int
    card: int
    excerpts: int


class Drafts(msgspec.Struct):
    """What was worked out for the last extracts from a working set and holds for the next ones too.

    `worth` is that of all values for `asked` (a request, the one before it, and where what is shown anyway begins) when
    the working set had so many `passages`. `lines` are those of excerpts.
    """

    asked: tuple[str, str, int] | None = None
    worth: list[float] = msgspec.field(default_factory=list)
    passages: int = 0
    lines: dict[coverage.Stretch, str] = msgspec.field(default_factory=dict)


def extracts(
    working: WorkingSet,
    asked: Asked,
    texts: Callable[[Sequence[int]], Mapping[int, str]],
    cost: Callable[[str], int],
    drafts: Drafts | None = None,
) -> list[Supplement]:
    """The card and the excerpts for a request, as far as there is anything to show.

    `texts` gives the texts of entries, named by their sequence numbers, that excerpts are cut from; `cost` the tokens
    of a message with a text; `drafts` goes from call to call. Excerpts may use what the card leaves.
    """
    until, drafts = asked.until, Drafts() if drafts is None else drafts
    valued = _valued(working, asked, drafts)
    if not any(valued):
        return []
    shown = {value for _, value in working.within(asked.request)}
    found = [made] if (made := _card(working, valued, shown, until, asked.card, cost)) else []
    left = asked.excerpts + asked.card - sum(item.tokens for item in found)
    excerpts = _excerpts(working, valued, until, left, cost, texts, drafts.lines)
    return [*found, excerpts] if excerpts else found


def _valued(working: WorkingSet, asked: Asked, drafts: Drafts) -> list[float]:
    """The worth of every value. While request and edge stay, only being said again, behind the edge, changes it."""
    key = asked.request, asked.previous, asked.until
    if drafts.asked == key:
        drafts.worth += [0.0] * (len(working.names) - len(drafts.worth))
        again = set[int]().union(*working.passages[drafts.passages :])
    else:
        near = worth.nearness(working, worth.terms(asked.request, asked.previous), asked.until)
        drafts.worth = worth.worth(working, near, asked.until)
        again = worth.said_in(working, [asked.request])
    for id_ in again:
        drafts.worth[id_] = 0.0
    drafts.asked, drafts.passages = key, len(working.passages)
    return drafts.worth


def _card(
    working: WorkingSet,
    valued: Sequence[float],
    shown: Container[str],
    until: int,
    room: int,
    cost: Callable[[str], int],
) -> Supplement | None:
    chars = int((room - _FRAME) * _CHARS_PER_TOKEN * _LISTED)
    for _ in range(_ATTEMPTS):
        made = cards.card(working, valued, shown, until, chars) if chars > 0 else None
        if made is None:
            return None
        text = quoting.render(quoting.CARD, [("Note", _NOTE)], made.text)
        tokens = cost(text)
        if tokens <= room:
            sources = tuple(_name(working, at) for at in made.sources)
            return Supplement("card", "card", text, tokens, sources, reason=_CARD_REASON)
        chars = int(chars * room / tokens * 0.97)
    return None


def _excerpts(
    working: WorkingSet,
    valued: Sequence[float],
    until: int,
    room: int,
    cost: Callable[[str], int],
    texts: Callable[[Sequence[int]], Mapping[int, str]],
    cut: dict[coverage.Stretch, str],
) -> Supplement | None:
    chars = int((room - _FRAME) * _CHARS_PER_TOKEN)
    chosen = coverage.cover(working, valued, until, chars) if chars > 0 else coverage.Chosen()
    quoted = texts(coverage.entries(working, chosen))
    located = coverage.located(working, chosen, quoted)
    for _ in range(_ATTEMPTS):
        found = located.joined()
        if not found:
            return None
        facts = [("Excerpts", str(len(found))), ("Form", "#entry who turn: text"), ("Note", _NOTE)]
        lines = coverage.lines(working, found, quoted, cut)
        text = quoting.render(quoting.EVIDENCE, facts, "\n".join(lines))
        tokens = cost(text)
        if tokens <= room:
            sources = tuple([_name(working, at) for at in dict.fromkeys([at for at, _, _ in found])])
            return Supplement("excerpts", "excerpt", text, tokens, sources, reason=_EXCERPT_REASON)
        located = located.cut(room / tokens * 0.98)
    return None


def _name(working: WorkingSet, at: int) -> str:
    return working.entry_ids[at] or str(working.seqs[at])
