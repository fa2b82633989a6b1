"""Coverage excerpts: the short stretches of older text that hold the most worth not yet shown, picked greedily.

The gain of a window is the worth of its values that neither the tail nor an excerpt shows yet, per character with its
heading. Names on the card count as not shown: a bare name is no knowledge of what it is. Neighbouring windows of one
entry become one excerpt.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import accumulate
from operator import sub, truediv

from backstory.plan.working import WorkingSet
from backstory.records.evidence import Excerpt

HEADING = 16
_STEP = 0.05  # gains that differ by less than this share count as equal
_SCALE = 1 / math.log1p(_STEP)
_LEVELS = 200
_LEAST = 40


def pick(working: WorkingSet, worth: Sequence[float], room: int) -> list[int]:
    """The windows that cover the most worth within `room` characters, headings included; the best first.

    Windows wait on levels of about equal gain. A gain is worked out again only when its level comes up, as it can only
    have become less; then the window is taken, or waits on a lower level.
    """
    windows, value = working.windows, list(worth)
    costs = [stop - start + HEADING for start, stop in zip(working.window_start, working.window_stop, strict=True)]
    levels, top = _levels(working, value, costs)
    chosen: list[int] = []
    for number, level in enumerate(levels):
        for window in level:
            gain, cost = sum(map(value.__getitem__, windows[window])), costs[window]
            if gain <= 0 or cost > room:
                continue
            lower = int(math.log(top * cost / gain) * _SCALE)
            if lower > number:
                if lower < _LEVELS:
                    levels[lower].append(window)
                continue
            chosen.append(window)
            room -= cost
            for id_ in windows[window]:
                value[id_] = 0.0
            if room < _LEAST:
                return chosen
    return chosen


def _levels(working: WorkingSet, value: Sequence[float], costs: Sequence[int]) -> tuple[list[list[int]], float]:
    """Windows by their gain per character when nothing is shown yet, and the highest such gain.

    The gains of all windows are differences of one running sum, which is much faster than a sum for each.
    """
    running = list(accumulate(map(value.__getitem__, working.window_flat), initial=0.0))
    before = [0, *working.window_ends]
    gains = map(sub, map(running.__getitem__, working.window_ends), map(running.__getitem__, before))
    density = list(map(truediv, gains, costs))
    levels: list[list[int]] = [[] for _ in range(_LEVELS)]
    top = max(density, default=0.0)
    if top <= 0:
        return levels, top
    least = top * math.exp(-_LEVELS / _SCALE)
    worthy = [window for window, gain in enumerate(density) if gain > least]
    below = map(math.log, map(top.__truediv__, map(density.__getitem__, worthy)))
    for window, place in zip(worthy, map(int, map(_SCALE.__mul__, below)), strict=True):
        if place < _LEVELS:
            levels[place].append(window)
    return levels, top


def excerpts(working: WorkingSet, windows: Sequence[int]) -> list[Excerpt]:
    """Picked windows in the order of the session, neighbours of one entry joined."""
    entries, starts, stops = working.window_entry, working.window_start, working.window_stop
    found: list[tuple[int, int, int]] = []
    for entry, start, stop in sorted([(entries[window], starts[window], stops[window]) for window in windows]):
        if found and found[-1][0] == entry and found[-1][2] == start:
            found[-1] = (entry, found[-1][1], stop)
        else:
            found.append((entry, start, stop))
    return [Excerpt(working.seqs[entry], start, stop) for entry, start, stop in found]


def text(working: WorkingSet, found: Sequence[Excerpt], texts: Mapping[int, str]) -> str:
    """The excerpts as lines of one quotation: where each comes from, then what was said; `texts` by seq."""
    lines = []
    for one in found:
        at = working.visible_from(one.seq)
        said = texts.get(one.seq, "")[one.start : one.stop].strip()
        lines.append(f"#{one.seq} {working.voices[at]} t{working.turns[at]}: {said}")
    return "\n".join(lines)
