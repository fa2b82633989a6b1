"""Coverage excerpts: the short stretches of older text that hold the most worth not yet shown, picked greedily.

The gain of a window is the worth of its values that neither the tail nor an excerpt shows yet, per character with its
heading. Names on the card count as not shown: a bare name is no knowledge of what it is. Calls that ran a command are
quoted beside them. Neighbouring windows of one entry become one excerpt.
"""

from collections.abc import Mapping, Sequence
from math import log, log1p
from operator import truediv

from backstory.plan.deeds import telling
from backstory.plan.working import HEADING, WorkingSet
from backstory.records.base import Record
from backstory.records.evidence import Excerpt

_COMMANDS = 0.15
_STEP = 0.05  # gains that differ by less than this share count as equal
_SCALE = 1 / log1p(_STEP)
_LEVELS = 200
_LEAST = 40
_FEWEST, _CHARS = 500, 8  # at least so many values are considered, and one for so many characters of room


_Stretch = tuple[int, int, int]  # position of an entry, start and stop in its text


class Chosen(Record, frozen=True):
    """Windows to quote, the best first, and commands whose calls to quote, as (position of the entry, command)."""

    windows: tuple[int, ...] = ()
    commands: tuple[tuple[int, str], ...] = ()

    def cut(self, share: float) -> "Chosen":
        """The first part of both."""
        return Chosen(self.windows[: int(len(self.windows) * share)], self.commands[: int(len(self.commands) * share)])


def pick(working: WorkingSet, worth: Sequence[float], room: int) -> list[int]:
    """The windows that cover the most worth within `room` characters, headings included; the best first.

    Of the windows that hold a value only its best is considered, and of the values only as many of the worthiest as
    there could ever be room for. Windows wait on levels of about equal gain: a gain is worked out again only when its
    level comes up, as it can only have become less; then the window is taken, or waits on a lower level.
    """
    value = list(worth)
    windows = _considered(working, value, room)
    starts, stops, value_of = working.window_start, working.window_stop, value.__getitem__
    held = list(map(working.windows.__getitem__, windows))
    costs = [stops[window] - starts[window] + HEADING for window in windows]
    gains = [sum(map(value_of, ids)) for ids in held]
    density = list(map(truediv, gains, costs))
    top = max(density, default=0.0)
    levels: list[list[int]] = [[] for _ in range(_LEVELS + 1)]
    for at, place in enumerate([int(log(top / share) * _SCALE) for share in density]):
        levels[min(_LEVELS, place)].append(at)
    chosen: list[int] = []
    for number, level in enumerate(levels[:_LEVELS]):
        for at in level:
            cost, gain = costs[at], sum(map(value_of, held[at]))
            if gain != gains[at] and (lower := _level(top, gain, cost)) > number:
                gains[at] = gain
                levels[lower].append(at)
            elif cost <= room:
                chosen.append(windows[at])
                room = left if (left := room - cost) >= _LEAST else 0
                for id_ in held[at]:
                    value[id_] = 0.0
        if not room:
            break
    return chosen


def _considered(working: WorkingSet, value: Sequence[float], room: int) -> list[int]:
    """The best windows of the worthiest values."""
    most = max(_FEWEST, room // _CHARS)
    least = sorted(value)[-most] if most < len(value) else 0.0
    pairs = zip(working.best, value, strict=True)
    return sorted({window for window, gain in pairs if gain > 0 and gain >= least})


def _level(top: float, gain: float, cost: int) -> int:
    """How many steps a gain per character lies below the highest; those too far below share the last level."""
    return min(_LEVELS, int(log(top * cost / gain) * _SCALE)) if gain > 0 else _LEVELS


def cover(working: WorkingSet, worth: Sequence[float], until: int, room: int) -> Chosen:
    """What to quote within `room` characters: calls of commands in a part of it, windows, and more calls in the rest.

    A command holds few exact values, so no window would be picked for its sake; but it is what is run again.
    """
    ranked = _commands(working, until)
    held = _fitting(ranked, int(room * _COMMANDS))
    windows = pick(working, worth, room - _length(held))
    starts, stops = working.window_start, working.window_stop
    left = room - sum(stops[window] - starts[window] + HEADING for window in windows)
    return Chosen(tuple(windows), tuple(_fitting(ranked, left)))


def entries(working: WorkingSet, chosen: Chosen) -> list[int]:
    """The sequence numbers of the entries that are quoted."""
    positions = {working.window_entry[window] for window in chosen.windows}.union(at for at, _ in chosen.commands)
    return [working.seqs[at] for at in sorted(positions)]


def quoted(working: WorkingSet, chosen: Chosen, texts: Mapping[int, str]) -> list[Excerpt]:
    """The excerpts in the order of the session; `texts` by sequence number. What touches becomes one."""
    return _joined(working, [*_stretches(working, chosen.windows), *_calls(working, chosen.commands, texts)])


def _commands(working: WorkingSet, until: int) -> list[tuple[int, str]]:
    """Commands that ran before `until`, most often and recently first, of each program one before others of it."""
    ranked = sorted(working.deeds.commands.items(), key=lambda pair: (-pair[1].mass, pair[0]))
    seen: set[str] = set()
    first: list[tuple[int, str]] = []
    others: list[tuple[int, str]] = []
    for ran, run in ranked:
        program = telling(ran) if run.last < until else None
        if program is not None:
            (others if program in seen else first).append((run.last, ran))
            seen.add(program)
    return [*first, *others]


def _fitting(commands: Sequence[tuple[int, str]], room: int) -> list[tuple[int, str]]:
    """The first of some commands that fit into `room` characters."""
    chosen: list[tuple[int, str]] = []
    for one in commands:
        room -= _length([one])
        if room < 0:
            break
        chosen.append(one)
    return chosen


def _length(commands: Sequence[tuple[int, str]]) -> int:
    return sum(len(ran) + HEADING for _, ran in commands)


def _calls(working: WorkingSet, chosen: Sequence[tuple[int, str]], texts: Mapping[int, str]) -> list[_Stretch]:
    """The stretches of text in which commands stand; one that is not found as it was written is left out."""
    found = []
    for at, ran in chosen:
        text = texts.get(working.seqs[at], "")
        start = text.find(" ".join(ran.split(" ")[:2]))
        if start >= 0:
            end = text.find("\n", start)
            found.append((at, start, min(start + len(ran), end if end >= 0 else len(text))))
    return found


def _stretches(working: WorkingSet, windows: Sequence[int]) -> list[_Stretch]:
    entries, starts, stops = working.window_entry, working.window_start, working.window_stop
    return [(entries[window], starts[window], stops[window]) for window in windows]


def _joined(working: WorkingSet, some: list[_Stretch]) -> list[Excerpt]:
    """Stretches in the order of the session; of those that touch or overlap, one that covers all."""
    found: list[Excerpt] = []
    entry, first, last = -1, 0, 0
    for at, start, stop in [*sorted(some), (len(working), 0, 0)]:
        if at == entry and start <= last:
            last = max(last, stop)
            continue
        if entry >= 0:
            found.append(Excerpt(working.seqs[entry], first, last))
        entry, first, last = at, start, stop
    return found


def lines(
    working: WorkingSet, found: Sequence[Excerpt], texts: Mapping[int, str], cut: dict[Excerpt, str] | None = None
) -> list[str]:
    """Each excerpt as a line of a quotation: where it comes from, then what was said; `texts` by seq.

    `cut` are lines that were made before; new ones are added.
    """
    cut = {} if cut is None else cut
    for one in found:
        if one not in cut:
            at = working.visible_from(one.seq)
            said = texts.get(one.seq, "")[one.start : one.stop].strip()
            cut[one] = f"#{one.seq} {working.voices[at]} t{working.turns[at]}: {said}"
    return list(map(cut.__getitem__, found))
