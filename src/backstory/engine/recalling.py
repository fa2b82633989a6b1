"""Looks in the index for earlier messages of the branch that match the request, and lets `plan.recall` choose.

Every term is looked up by itself within the session's rows, the branch narrowing it before any limit; entries that the
call holds already and entries of other branches are counted and never read. Words count by how rare they are on this
branch.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from heapq import nsmallest

import msgspec

from backstory.engine import evidence
from backstory.engine.context import Context
from backstory.engine.open import Engine
from backstory.plan import recall
from backstory.plan.recall import Recalled, Wanted
from backstory.retrieve.task import describe
from backstory.store import recall as rows

MOST_PER_TERM = 2_000
MOST_READ, MOST_EXACT = 400, 72
NEIGHBOUR = 0.2


def recalled(
    engine: Engine,
    given: Context,
    asked: str,
    committed: Collection[int],
    *,
    most: int,
    room: int,
    cost: Callable[[str], int],
    quotable: Callable[[str], bool] = lambda _: True,
) -> Recalled:
    """Quotations of at most `most` messages within `room` tokens; `committed` are sequence numbers in the call."""
    folder = evidence.folder_of(given)
    task = describe(asked.replace(folder, "") if folder else asked)
    wanted = Wanted(task.identifiers, task.phrases, task.terms)
    if not wanted.terms or most <= 0 or room <= 0 or not given.key:
        return Recalled(status="no-query" if not wanted.terms else "disabled")
    where = rows.branch(engine.history, given.key, given.branch, committed)
    exact = {*wanted.identifiers, *wanted.phrases}
    found = {
        term: (rows.holding if term in exact else rows.saying)(engine.history, where, term, MOST_PER_TERM)
        for term in wanted.terms
    }
    weights = _weights(found, len(given.branch))
    heaviest = nsmallest(MOST_READ, weights, key=lambda seq: (-weights[seq], -seq))
    seqs = {*heaviest, *(seq for term in exact if term in found for seq in found[term][:MOST_EXACT])}
    texts = (evidence.said_of(row, given) for row in rows.texts(engine.history, given.key, seqs))
    history = [said for said in texts if quotable(said.text)]
    chosen = recall.recall(history, wanted, _holders(found), weights, most=most, room=room, cost=cost)
    in_call, alternates = rows.elsewhere(engine.history, where, wanted.terms)
    return msgspec.structs.replace(chosen, committed=in_call, alternates=alternates)


def _weights(found: Mapping[str, Sequence[int]], total: int) -> dict[int, float]:
    """How rare the terms are that each entry holds, added up, and a fifth of what its better neighbour is worth.

    A question and its answer stand side by side, and often only one of them uses the words.
    """
    weights: defaultdict[int, float] = defaultdict(float)
    for seqs in found.values():
        rarity = math.log(1 + max(0.0, total - len(seqs) + 0.5) / (len(seqs) + 0.5))
        for seq in seqs:
            weights[seq] += rarity
    near = weights.get
    return {
        seq: round(weight + NEIGHBOUR * max(near(seq - 1, 0.0), near(seq + 1, 0.0)), 6)
        for seq, weight in weights.items()
    }


def _holders(found: Mapping[str, Iterable[int]]) -> dict[int, set[str]]:
    """The terms that each entry holds."""
    held: defaultdict[int, set[str]] = defaultdict(set)
    for term, seqs in found.items():
        for seq in seqs:
            held[seq].add(term)
    return held
