"""Coverage excerpts: the short stretches of older text that hold the most worth not yet shown, picked greedily.

The gain of a window is the worth of its values that neither the tail nor an excerpt shows yet, per character with its
heading. Names on the card count as not shown: a bare name is no knowledge of what it is. Neighbouring windows of one
entry become one excerpt.
"""

import heapq
from collections.abc import Container

from backstory.plan.working import WorkingSet
from backstory.records.evidence import Excerpt

HEADING = 16


def cover(
    working: WorkingSet, worth: dict[int, float], until: int, room: int, hidden: Container[int] = ()
) -> list[Excerpt]:
    """Excerpts of at most `room` characters together, headings included, in the order of the session.

    `worth` holds the values worth showing; entries at the positions in `hidden` are never quoted.
    """
    heap: list[tuple[float, int]] = []
    value = [worth.get(id_, 0.0) for id_ in range(len(working.names))]
    entries, starts, stops = working.window_entry, working.window_start, working.window_stop
    for window, ids in enumerate(working.window_values):
        if entries[window] >= until:
            break
        gain = sum([value[id_] for id_ in ids])
        if gain > 0 and entries[window] not in hidden:
            heap.append((-gain / (stops[window] - starts[window] + HEADING), window))
    heapq.heapify(heap)
    chosen = _greedy(working, value, heap, room)
    return _merged(working, worth, sorted(chosen))


def _greedy(working: WorkingSet, value: list[float], heap: list[tuple[float, int]], room: int) -> list[int]:
    """Windows by gain; a gain is worked out again only when its window comes up."""
    covered: set[int] = set()
    chosen: list[int] = []
    while heap:
        estimate, window = heapq.heappop(heap)
        cost = working.window_stop[window] - working.window_start[window] + HEADING
        if cost > room:
            continue
        gain = -sum([value[id_] for id_ in working.window_values[window] if id_ not in covered]) / cost
        if gain >= 0:
            continue
        if gain > estimate and heap and gain > heap[0][0]:
            heapq.heappush(heap, (gain, window))
            continue
        chosen.append(window)
        covered.update(working.window_values[window])
        room -= cost
    return chosen


def _merged(working: WorkingSet, worth: dict[int, float], windows: list[int]) -> list[Excerpt]:
    found: list[Excerpt] = []
    for window in windows:
        entry = working.window_entry[window]
        seq, start, stop = working.said[entry].seq, working.window_start[window], working.window_stop[window]
        gain = sum(worth.get(id_, 0.0) for id_ in working.window_values[window])
        names = tuple(working.names[id_][1] for id_ in working.window_values[window] if id_ in worth)
        last = found[-1] if found else None
        if last is not None and last.seq == seq and last.stop == start:
            found[-1] = Excerpt(seq, last.start, stop, last.gain + gain, last.names + names)
        else:
            found.append(Excerpt(seq, start, stop, gain, names))
    return found


def text(working: WorkingSet, excerpts: list[Excerpt]) -> str:
    """The excerpts as lines of one quotation: where each comes from, then what was said."""
    by_seq = {said.seq: said for said in working.said}
    lines = []
    for excerpt in excerpts:
        said = by_seq[excerpt.seq]
        lines.append(f"#{excerpt.seq} {said.voice} t{said.turn}: {said.text[excerpt.start : excerpt.stop].strip()}")
    return "\n".join(lines)
