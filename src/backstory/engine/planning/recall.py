"""Looks in the index for earlier messages of the branch that match the request, and lets `plan.evidence.recall` choose.

Every term is looked up by itself within the session's rows, the branch narrowing it before any limit; entries of other
branches are counted and never read. Words count by how rare they are on this branch. What was found for a request stays
with the transcript: it is the same for all calls of a turn, whatever of it each of them holds already.
"""

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice

import msgspec

from backstory.engine.context import Context
from backstory.engine.open import Engine
from backstory.engine.planning import evidence
from backstory.engine.transcript.quoted import Found, Kind
from backstory.plan.evidence.matching import Wanted, ranked
from backstory.plan.evidence.recall import Recalled, recall
from backstory.records.evidence import Said
from backstory.retrieve.task import describe
from backstory.store import recall as rows
from backstory.text.accents import stopword

MOST_TERMS = 32
MOST_PER_TERM = 5_000  # more than any call holds, so what it holds cannot hide what it does not
NEIGHBOUR = 0.2
_BATCHES, _FULL = (120, 400), 0.9
_SHORT = re.compile(r"(?<!\w)[^\W\d_]{2,3}(?!\w)")


class QuotationTask(msgspec.Struct, frozen=True):
    """A request, and the sequence numbers that the call holds anyway.

    At most `most` quotations are wanted, by themselves within `room` tokens, of entries before the number `until`.
    """

    asked: str
    committed: Collection[int]
    most: int
    room: int
    until: int


def recalled(
    engine: Engine,
    context: Context,
    task: QuotationTask,
    *,
    cost: Callable[[str], int],
    quotable: Callable[[str], bool] = lambda _: True,
) -> Recalled:
    """Quotations of earlier messages that match the request."""
    wanted = _wanted(context, task.asked)
    if not wanted.terms:
        return Recalled(status="no-query")
    if task.most <= 0 or task.room <= 0:
        return Recalled(status="disabled")
    if not context.key:
        return Recalled(status="not-indexed")
    found = _found(engine, context, wanted, task.until)
    in_call = found.held.keys() & task.committed
    order = _ordered(found.ranked, in_call)
    notes, weights = context.transcript.quoted.notes, dict[int, float]()
    chosen, refused = Recalled(), list[Said]()
    for most in _BATCHES:
        weights.update(islice(order, most - len(weights)))
        history, refused = _read(engine, context, list(weights), quotable)
        bits = list(map(found.held.__getitem__, weights))
        terms = {held: _held(wanted.terms, held) for held in {*bits}}
        holders = dict(zip(weights, map(terms.__getitem__, bits), strict=True))
        matching = ranked(notes.matching(history, wanted, holders), weights)
        chosen = recall(matching, notes, most=task.most, room=task.room, cost=cost)
        spent = sum(one.tokens for one in chosen.supplements)
        if len(weights) < most or spent > task.room * _FULL:
            break
    best = frozenset(islice(weights, task.most))
    return msgspec.structs.replace(
        chosen,
        candidates=len(found.held) - len(in_call),
        committed=len(in_call),
        alternates=found.alternates,
        refused=tuple(said for said in refused if said.seq in best),
    )


def _ordered(ranked: Mapping[tuple[int, float], list[int]], out: Container[int]) -> Iterator[tuple[int, float]]:
    """Entries that are not `out`, with their weights: by tier, then by weight, then the newest first."""
    for tier, weight in sorted(ranked, reverse=True):
        for seq in sorted(ranked[tier, weight], reverse=True):
            if seq not in out:
                yield seq, weight


def _wanted(context: Context, asked: str) -> Wanted:
    """What the request names, paths as evidence has them; here even short words count, as they may be names."""
    folder = evidence.folder_of(context)
    task = describe(asked.replace(folder, "") if folder else asked)
    short = (word.lower() for word in _SHORT.findall(task.objective) if not stopword(word))
    terms = tuple(dict.fromkeys((*task.terms, *short)))[:MOST_TERMS]
    return Wanted(task.identifiers, task.phrases, terms)


def _found(engine: Engine, context: Context, wanted: Wanted, until: int) -> Found:
    """What leads to an entry never changes, so that only what the branch gained since the last time is looked up."""
    earlier = context.branch[: bisect_left(context.branch, until)]
    known = context.transcript.quoted.found
    before = known if known is not None and known.wanted == wanted else None
    if before is not None and earlier[before.count - 1 : before.count] != [before.end]:
        before = None
    if before is not None and before.count == len(earlier):
        return before
    where = rows.branch(engine.history, context.key, earlier, before.end if before is not None else -1)
    seqs = _looked_up(engine, where, wanted) if before is None else _gained(engine, where, wanted, before.seqs)
    alternates = rows.elsewhere(engine.history, where, wanted.terms) + (before.alternates if before is not None else 0)
    count = bisect_right(earlier, where.reached)
    end = earlier[count - 1] if count else -1
    full = any(len(some) == MOST_PER_TERM for some in seqs.values())
    grown = None if full else before
    held = _bits(seqs, grown)
    kinds = _kinds(held, grown)
    made = Found(wanted, count, end, seqs, held, kinds, _ranked(kinds, seqs, wanted, len(earlier)), alternates)
    context.transcript.quoted.found = made
    return made


def _looked_up(engine: Engine, where: rows.BranchRows, wanted: Wanted) -> dict[str, list[int]]:
    exact = frozenset((*wanted.identifiers, *wanted.phrases))
    looks = ((term, rows.entries_with if term in exact else rows.saying) for term in wanted.terms)
    return {term: look(engine.history, where, term, MOST_PER_TERM) for term, look in looks}


def _gained(
    engine: Engine, where: rows.BranchRows, wanted: Wanted, before: Mapping[str, list[int]]
) -> dict[str, list[int]]:
    """What held each term before, with what the branch gained since."""
    exact = frozenset((*wanted.identifiers, *wanted.phrases))
    plain = [term for term in wanted.terms if term not in exact]
    new = rows.gained(engine.history, where, exact.intersection(wanted.terms), plain)
    return {term: [*new.get(term, ()), *seqs][:MOST_PER_TERM] for term, seqs in before.items()}


def _read(
    engine: Engine, context: Context, seqs: Sequence[int], quotable: Callable[[str], bool]
) -> tuple[list[Said], list[Said]]:
    """The entries that may be quoted, and the others."""
    parts: tuple[list[Said], list[Said]] = [], []
    for said in evidence.matched(engine, context, seqs):
        parts[not quotable(said.text)].append(said)
    return parts


def _bits(found: Mapping[str, Sequence[int]], before: Found | None) -> dict[int, int]:
    """The entries with a bit for each term that they hold, the first term having the lowest.

    Those that were found `before` hold what they held and stay in front; what was gained since is first in `found`.
    """
    held, end = (dict(before.held), before.end) if before is not None else (dict[int, int](), -1)
    known = held.get
    for number, seqs in enumerate(found.values()):
        bit = 1 << number
        for seq in seqs:
            if seq <= end:
                break
            held[seq] = known(seq, 0) | bit
    return held


def _held(terms: Sequence[str], bits: int) -> set[str]:
    return {term for number, term in enumerate(terms) if bits >> number & 1}


def _kinds(held: Mapping[int, int], before: Found | None) -> dict[Kind, list[int]]:
    """The entries by the bits of them and of both their neighbours.

    Of those that were found `before` only the last can have a new neighbour.
    """
    near = held.get
    if before is None:
        kinds: dict[Kind, list[int]] = {}
        for seq, bits in held.items():
            kinds.setdefault((bits, near(seq - 1, 0), near(seq + 1, 0)), []).append(seq)
        return kinds
    kinds, last = dict(before.kinds), before.end
    placed = list(islice(held, len(before.held), None))
    if last in held:
        kind = held[last], near(last - 1, 0), 0
        kinds[kind] = [seq for seq in kinds[kind] if seq != last]
        placed.append(last)
    for seq in placed:
        kind = held[seq], near(seq - 1, 0), near(seq + 1, 0)
        kinds[kind] = [*kinds.get(kind, ()), seq]
    return kinds


def _ranked(
    kinds: Mapping[Kind, list[int]], found: Mapping[str, Sequence[int]], wanted: Wanted, total: int
) -> dict[tuple[int, float], list[int]]:
    """The entries by tier and weight; all of a kind have the same.

    The tier is 2 with a name, 1 with a phrase. The weight is how rare the terms are that an entry holds, added up, and
    a fifth of what its better neighbour is worth: a question and its answer stand side by side, and often only one of
    them uses the words.
    """
    rarities = [math.log(1 + max(0.0, total - len(seqs) + 0.5) / (len(seqs) + 0.5)) for seqs in found.values()]
    names, phrases = (_mask(found, some) for some in (wanted.identifiers, wanted.phrases))
    worth = {
        bits: sum((rarity for number, rarity in enumerate(rarities) if bits >> number & 1), 0.0)
        for bits in {0, *chain.from_iterable(kinds)}
    }
    ranked: dict[tuple[int, float], list[int]] = {}
    for (bits, before, after), seqs in kinds.items():
        tier = 2 if bits & names else 1 if bits & phrases else 0
        weight = round(worth[bits] + NEIGHBOUR * max(worth[before], worth[after]), 6)
        ranked.setdefault((tier, weight), []).extend(seqs)
    return ranked


def _mask(found: Iterable[str], some: Collection[str]) -> int:
    return sum(1 << number for number, term in enumerate(found) if term in some)
