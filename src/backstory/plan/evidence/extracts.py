"""Turns a working set into the two supplements made from it: the card and the coverage excerpts, each as one quotation.

Sizes are tokens of the finished message: what quoting adds is part of the budget, so a draft that comes out too long is
made again with less room. Before it: `card`, `coverage`, `worth`. After it: `plan.planner`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import msgspec

from backstory.plan.evidence import card as cards
from backstory.plan.evidence import coverage, worth
from backstory.plan.evidence.largest import Largest
from backstory.plan.evidence.working import WorkingSet
from backstory.plan.evidence.worth import HeldValues
from backstory.privacy import classify
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


class ExtractsTask(Record, frozen=True):
    """What extracts are for: a request, the one before it, and the position from which on everything is shown anyway.

    `card` and `excerpts` are tokens, `counting` names how they are counted.
    """

    request: str
    previous: str
    until: int
    card: int
    excerpts: int
    counting: str = ""


class MadeExtract(Record, frozen=True):
    """What was made, and all that it depends on beside request, edge and counting."""

    of: tuple[object, ...]
    supplement: Supplement | None


class Drafts(msgspec.Struct):
    """What was worked out for the last extracts from a working set and holds for the next ones too.

    `worth` is that of all values for `asked` (a request, the one before it, and where what is shown anyway begins) when
    the working set had so many `passages`, and `changes` counts how often any of it became another one; `order` is that
    of all values when they were weighed. `lines` are those of excerpts, quoted, and `levels` those that the texts of
    entries are marked with, by position; `held` is for `nearness`; `card` and `excerpts` are as they were made last.
    """

    asked: tuple[str, str, int, str] | None = None
    worth: list[float] = msgspec.field(default_factory=list)
    passages: int = 0
    changes: int = 0
    order: Largest | None = None
    lines: dict[coverage.Stretch, str] = msgspec.field(default_factory=dict)
    levels: dict[int, str] = msgspec.field(default_factory=dict)
    held: HeldValues = msgspec.field(default_factory=HeldValues)
    card: MadeExtract | None = None
    excerpts: MadeExtract | None = None

    def ranked(self, working: WorkingSet, room: int) -> Largest:
        """The values in their order for a card of `room` characters; what became worth nothing since may be in it."""
        if self.order is None:
            self.order = cards.ranked(working, self.worth, room)
        return self.order

    def cut(self, working: WorkingSet, stretches: Sequence[coverage.Stretch], texts: Mapping[int, str]) -> list[str]:
        """Excerpts as quoted lines, each of which is made once."""
        lines, found = self.lines, list[str]()
        for one in stretches:
            line = lines.get(one)
            if line is None:
                line = lines[one] = quoting.quote(classify.strip(coverage.line(working, one, texts)))
            found.append(line)
        return found

    def level(self, working: WorkingSet, positions: Sequence[int], texts: Mapping[int, str]) -> str:
        """The highest level that any of some entries is marked with, each of which is looked through once."""
        levels = self.levels
        for at in positions:
            if at not in levels:
                levels[at] = classify.level(texts.get(working.seqs[at], ""))
        return classify.highest({levels[at] for at in positions})


def extracts(
    working: WorkingSet,
    asked: ExtractsTask,
    texts: Callable[[Sequence[int]], Mapping[int, str]],
    cost: Callable[[str], int],
    drafts: Drafts | None = None,
) -> list[Supplement]:
    """The card and the excerpts for a request, as far as there is anything to show.

    `texts` gives the texts of entries, named by their sequence numbers, that excerpts are cut from; `cost` the tokens
    of a message with a text; `drafts` goes from call to call. Excerpts may use what the card leaves.
    """
    drafts = Drafts() if drafts is None else drafts
    _value(working, asked, drafts)
    if not any(drafts.worth):
        return []
    found = [made] if (made := _card(working, asked, cost, drafts)) else []
    left = asked.excerpts + asked.card - sum(item.tokens for item in found)
    excerpts = _excerpts(working, asked.until, left, cost, texts, drafts)
    return [*found, excerpts] if excerpts else found


def _value(working: WorkingSet, asked: ExtractsTask, drafts: Drafts) -> None:
    """The worth of every value. While request and edge stay, only being said again, behind the edge, changes it."""
    key = asked.request, asked.previous, asked.until, asked.counting
    if drafts.asked == key:
        drafts.worth += [0.0] * (len(working.names) - len(drafts.worth))
        again = set[int]().union(*working.passages[drafts.passages :])
    else:
        near = worth.nearness(working, worth.terms(asked.request, asked.previous), asked.until, drafts.held)
        drafts.worth = worth.worth(working, near, asked.until)
        drafts.order = None
        drafts.changes += 1
        again = worth.said_in(working, [asked.request])
    gone = [id_ for id_ in again if drafts.worth[id_]]
    for id_ in gone:
        drafts.worth[id_] = 0.0
    drafts.changes += bool(gone)
    drafts.asked, drafts.passages = key, len(working.passages)


def _card(working: WorkingSet, asked: ExtractsTask, cost: Callable[[str], int], drafts: Drafts) -> Supplement | None:
    """The card. While no worth changes, only what was done to files and with commands can make it another one."""
    shown = {value for _, value in working.within(asked.request)}
    deeds = partial(cards.deeds, working, shown, asked.until)
    chars = max(0, int((asked.card - _FRAME) * _CHARS_PER_TOKEN * _LISTED))
    done = deeds(chars)
    of = drafts.changes, asked.card, tuple(done.files.items()), done.commands
    if drafts.card is None or drafts.card.of != of:
        found: Supplement | None = None
        for _ in range(_ATTEMPTS):
            order = drafts.ranked(working, chars)
            made = cards.card(working, drafts.worth, order, done, asked.until, chars) if chars > 0 else None
            if made is None:
                break
            text = quoting.render(quoting.CARD, [("Note", _NOTE)], made.text)
            tokens = cost(text)
            if tokens <= asked.card:
                sources = tuple(_name(working, at) for at in made.sources)
                found = Supplement("card", "card", text, tokens, sources, reason=_CARD_REASON)
                break
            chars = int(chars * asked.card / tokens * 0.97)
            done = deeds(chars)
        drafts.card = MadeExtract(of, found)
    return drafts.card.supplement


def _excerpts(
    working: WorkingSet,
    until: int,
    room: int,
    cost: Callable[[str], int],
    texts: Callable[[Sequence[int]], Mapping[int, str]],
    drafts: Drafts,
) -> Supplement | None:
    """The excerpts. While no worth changes, the same are picked for the same room beside the same commands.

    For a window that is said again, or shorter, holds nothing but what is said again.
    """
    commands = coverage.commands(working, until)
    of = drafts.changes, room, commands
    if drafts.excerpts is None or drafts.excerpts.of != of:
        chars = int((room - _FRAME) * _CHARS_PER_TOKEN)
        chosen = coverage.cover(working, drafts.worth, commands, chars) if chars > 0 else coverage.Chosen()
        quoted = texts(coverage.entries(working, chosen))
        drafts.excerpts = MadeExtract(of, _quoted(working, chosen, quoted, room, cost, drafts))
    return drafts.excerpts.supplement


def _quoted(
    working: WorkingSet,
    chosen: coverage.Chosen,
    quoted: Mapping[int, str],
    room: int,
    cost: Callable[[str], int],
    drafts: Drafts,
) -> Supplement | None:
    located = coverage.located(working, chosen, quoted)
    for _ in range(_ATTEMPTS):
        found = located.joined()
        if not found:
            return None
        facts = [("Excerpts", str(len(found))), ("Form", "#entry who turn: text"), ("Note", _NOTE)]
        lines = drafts.cut(working, found, quoted)
        text = quoting.enclose(quoting.EVIDENCE, facts, quoting.joined(lines))
        tokens = cost(text)
        if tokens <= room:
            entries = list(dict.fromkeys([at for at, _, _ in found]))
            sources, level = tuple([_name(working, at) for at in entries]), drafts.level(working, entries, quoted)
            return Supplement("excerpts", "excerpt", text, tokens, sources, level=level, reason=_EXCERPT_REASON)
        located = located.cut(room / tokens * 0.98)
    return None


def _name(working: WorkingSet, at: int) -> str:
    return working.entry_ids[at] or str(working.seqs[at])
