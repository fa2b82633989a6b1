"""Coverage excerpts: the short stretches of older text that hold the most worth not yet shown, picked greedily.

The gain of a window is the worth of its values that neither the tail nor an excerpt shows yet, per character with its
heading. Names on the card count as not shown: a bare name is no knowledge of what it is. Calls that ran a command are
quoted beside them. Neighbouring windows of one entry become one excerpt.
"""

from collections.abc import Mapping, Sequence
from itertools import repeat
from math import log, log1p
from operator import truediv

from backstory.plan.evidence.deeds import telling
from backstory.plan.evidence.largest import rank
from backstory.plan.evidence.working import HEADING, WorkingSet
from backstory.records.base import Record

_COMMANDS = 0.15
_STEP = 0.05  # gains that differ by less than this share count as equal
_SCALE = 1 / log1p(_STEP)
_LEVELS = 200
_LEAST = 40
_FEWEST, _CHARS = 500, 8  # at least so many values are considered, and one for so many characters of room
_MANY, _SPARSE = 3_000, 24  # beyond so many values, one for so many characters

Stretch = tuple[int, int, int]
"""Position of an entry in the working set, start and stop in its text."""


class Chosen(Record, frozen=True):
    """Windows to quote, the best first, and commands whose calls to quote, as (position of the entry, command)."""

    windows: tuple[int, ...] = ()
    commands: tuple[tuple[int, str], ...] = ()


class ChosenPlaces(Record, frozen=True):
    """Where what was chosen stands; None for a call that is not found as it was written."""

    windows: tuple[Stretch, ...]
    calls: tuple[Stretch | None, ...]

    def cut(self, share: float) -> "ChosenPlaces":
        """The first part of both."""
        return ChosenPlaces(self.windows[: int(len(self.windows) * share)], self.calls[: int(len(self.calls) * share)])

    def joined(self) -> list[Stretch]:
        """The excerpts in the order of the session. What touches becomes one."""
        return _joined([*self.windows, *filter(None, self.calls)])


def pick(working: WorkingSet, worth: Sequence[float], room: int) -> list[int]:
    """The windows that cover the most worth within `room` characters, headings included; the best first.

    Of the windows that hold a value only its best is considered, and of the values only as many of the worthiest as
    there could ever be room for. Windows wait on levels of about equal gain: a gain is worked out again only when its
    level comes up, as it can only have become less; then the window is taken, or waits on a lower level.
    """
    value = list(worth)
    windows = _considered(working, value, room)
    held = list(map(working.windows.__getitem__, windows))
    costs = list(map(working.window_cost.__getitem__, windows))
    gains = _gains(held, value)
    levels, scale = _levelled(gains, costs)
    chosen: list[int] = []
    for number, level in enumerate(levels):
        for at in level:
            ids, cost, gain = held[at], costs[at], 0.0
            for id_ in ids:
                gain += value[id_]
            if gain != gains[at] and (lower := int(log(scale * cost / gain) * _SCALE) if gain else _LEVELS) > number:
                gains[at] = gain
                if lower < _LEVELS:
                    levels[lower].append(at)
            elif cost <= room:
                chosen.append(windows[at])
                room = left if (left := room - cost) >= _LEAST else 0
                for id_ in ids:
                    value[id_] = 0.0
        if not room:
            break
    return chosen


def _gains(held: Sequence[tuple[int, ...]], value: Sequence[float]) -> list[float]:
    """The worth of the values in each window; a loop, as most windows hold two or three."""
    gains: list[float] = []
    for ids in held:
        gain = 0.0
        for id_ in ids:
            gain += value[id_]
        gains.append(gain)
    return gains


def _levelled(gains: Sequence[float], costs: Sequence[int]) -> tuple[list[list[int]], float]:
    """The windows on each level, and the highest gain per character; those too far below it are on none."""
    density = list(map(truediv, gains, costs))
    top = max(density, default=0.0)
    levels: list[list[int]] = [[] for _ in range(_LEVELS)]
    for at, steps in enumerate(map(log, map(truediv, repeat(top), density))):
        if (level := int(steps * _SCALE)) < _LEVELS:
            levels[level].append(at)
    return levels, top


def _considered(working: WorkingSet, value: Sequence[float], room: int) -> list[int]:
    """The best windows of the worthiest values."""
    most = max(_FEWEST, min(room // _CHARS, max(_MANY, room // _SPARSE)))
    least = rank(value, most) if most < len(value) else 0.0
    pairs = zip(working.best, value, strict=True)
    if least > 0:
        return sorted({window for window, gain in pairs if gain >= least})
    return sorted({window for window, gain in pairs if gain > 0})


def cover(working: WorkingSet, worth: Sequence[float], ranked: Sequence[tuple[int, str]], room: int) -> Chosen:
    """What to quote within `room` characters: calls of commands in a part of it, windows, and more calls in the rest.

    A command holds few exact values, so no window would be picked for its sake; but it is what is run again. `ranked`
    are the `commands`, the best first.
    """
    held = _fitting(ranked, int(room * _COMMANDS))
    windows = pick(working, worth, room - _length(held))
    left = room - sum(map(working.window_cost.__getitem__, windows))
    return Chosen(tuple(windows), tuple(_fitting(ranked, left)))


def entries(working: WorkingSet, chosen: Chosen) -> list[int]:
    """The sequence numbers of the entries that are quoted."""
    positions = {working.window_entry[window] for window in chosen.windows}.union(at for at, _ in chosen.commands)
    return [working.seqs[at] for at in sorted(positions)]


def located(working: WorkingSet, chosen: Chosen, texts: Mapping[int, str]) -> ChosenPlaces:
    """Where the excerpts stand; `texts` by sequence number."""
    bounds = working.window_entry, working.window_start, working.window_stop
    return ChosenPlaces(
        tuple(zip(*[map(each.__getitem__, chosen.windows) for each in bounds], strict=True)),
        tuple([_call(at, ran, texts.get(working.seqs[at], "")) for at, ran in chosen.commands]),
    )


def commands(working: WorkingSet, until: int) -> list[tuple[int, str]]:
    """Commands that ran before `until`, most often and recently first, of each program one before others of it.

    Each as (position of the entry, command).
    """
    seen: set[str] = set()
    first: list[tuple[int, str]] = []
    others: list[tuple[int, str]] = []
    for ran, run in working.deeds.ranked_commands():
        program = telling(ran) if run.last < until else None
        if program is not None:
            (others if program in seen else first).append((run.last, ran))
            seen.add(program)
    return [*first, *others]


def _fitting(commands: Sequence[tuple[int, str]], room: int) -> list[tuple[int, str]]:
    """The first of some commands that fit into `room` characters."""
    chosen: list[tuple[int, str]] = []
    for at, ran in commands:
        room -= len(ran) + HEADING
        if room < 0:
            break
        chosen.append((at, ran))
    return chosen


def _length(commands: Sequence[tuple[int, str]]) -> int:
    return sum(len(ran) + HEADING for _, ran in commands)


def _call(at: int, ran: str, text: str) -> Stretch | None:
    """The stretch of an entry's text in which a command stands."""
    start = text.find(" ".join(ran.split(" ", 2)[:2]))
    if start < 0:
        return None
    end = text.find("\n", start)
    return at, start, min(start + len(ran), end if end >= 0 else len(text))


def _joined(some: list[Stretch]) -> list[Stretch]:
    """Stretches in the order of the session; of those that touch or overlap, one that covers all."""
    found: list[Stretch] = []
    entry, first, last = -1, 0, 0
    for at, start, stop in sorted(some):
        if at == entry and start <= last:
            last = max(last, stop)
            found[-1] = at, first, last
        else:
            entry, first, last = at, start, stop
            found.append((at, start, stop))
    return found


def line(working: WorkingSet, stretch: Stretch, texts: Mapping[int, str]) -> str:
    """An excerpt as a line of a quotation: where it comes from, then what was said; `texts` by sequence number."""
    at, start, stop = stretch
    seq = working.seqs[at]
    return f"#{seq} {working.voices[at]} t{working.turns[at]}: {texts.get(seq, '')[start:stop].strip()}"
