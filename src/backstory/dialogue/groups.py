"""Binds tool calls to their results and finds the groups of entries that reach a model together or not at all.

A result belongs to the latest call of its id that stands before it; agents use ids again, so binding is by occurrence.
A result without such a call is an orphan and never binds to a later one. Positions are indices into the nodes given,
which are usually the active context in model order.
"""

from collections.abc import Collection, Sequence

from backstory.records.base import Record
from backstory.records.node import Node
from backstory.records.session import Kind

TURN, SUMMARY, PREFIX = "turn", "summary", "prefix"


class Exchange(Record, frozen=True):
    """One tool call: the position of the entry that makes it, its id and the positions of its results."""

    call: int
    id: str
    results: tuple[int, ...]


class Exchanges(Record, frozen=True):
    """All calls in their order, and the results that answer none as (position, call id)."""

    calls: tuple[Exchange, ...]
    orphans: tuple[tuple[int, str], ...]


class Group(Record, frozen=True):
    """Entries that belong together: their kind (turn, summary or prefix) and ascending positions."""

    kind: str
    members: tuple[int, ...]

    @property
    def id(self) -> str:
        """The group's name within one plan."""
        return f"group:{self.members[0]}-{self.members[-1]}"


class Breach(Record, frozen=True):
    """Why a choice of entries is invalid: `reason` is unanswered, torn or orphan."""

    reason: str
    position: int
    call_id: str


def exchanges(nodes: Sequence[Node]) -> Exchanges:
    """Bind every result to its call."""
    latest: dict[str, int] = {}
    made: list[tuple[int, str]] = []
    results: list[list[int]] = []
    orphans = []
    for at, node in enumerate(nodes):
        for id_ in dict.fromkeys(node.answers):
            call = latest.get(id_)
            if call is None:
                orphans.append((at, id_))
            else:
                results[call].append(at)
        for id_ in dict.fromkeys(node.calls):
            latest[id_] = len(made)
            made.append((at, id_))
            results.append([])
    calls = [Exchange(at, id_, tuple(answers)) for (at, id_), answers in zip(made, results, strict=True)]
    return Exchanges(tuple(calls), tuple(orphans))


def groups(nodes: Sequence[Node]) -> list[Group]:
    """The atomic groups, ordered by their first entry; every position is in exactly one.

    A summary stands alone and ends the turn before it, a prompt opens a turn, what comes before any turn is a prefix;
    groups that a tool exchange connects become one.
    """
    drafted = _drafted(nodes)
    owner = [group for group, (_, members) in enumerate(drafted) for _ in members]
    joined = list(range(len(drafted)))
    for exchange in exchanges(nodes).calls:
        for result in exchange.results:
            first, second = sorted((_root(joined, owner[exchange.call]), _root(joined, owner[result])))
            joined[second] = first
    merged: dict[int, list[int]] = {}
    for group in range(len(drafted)):
        merged.setdefault(_root(joined, group), []).append(group)
    return [_merge([drafted[group] for group in part]) for part in merged.values()]


def breaches(bound: Exchanges, chosen: Collection[int]) -> list[Breach]:
    """What is wrong with choosing just these positions; nothing when every exchange is whole or absent.

    A chosen call needs a result and all of its results, a chosen result its call.
    """
    inside = frozenset(chosen)
    found = [Breach("orphan", at, id_) for at, id_ in bound.orphans if at in inside]
    for exchange in bound.calls:
        kept = [at for at in exchange.results if at in inside]
        if exchange.call not in inside:
            found += [Breach("orphan", at, exchange.id) for at in kept]
        elif not exchange.results:
            found.append(Breach("unanswered", exchange.call, exchange.id))
        elif len(kept) < len(exchange.results):
            found.append(Breach("torn", exchange.call, exchange.id))
    return sorted(found, key=lambda breach: (breach.position, breach.call_id))


def _drafted(nodes: Sequence[Node]) -> list[tuple[str, list[int]]]:
    found: list[tuple[str, list[int]]] = []
    open_ = False
    for at, node in enumerate(nodes):
        if node.kind == Kind.SUMMARY:
            found.append((SUMMARY, [at]))
            open_ = False
        elif node.kind == Kind.PROMPT:
            found.append((TURN, [at]))
            open_ = True
        elif open_:
            found[-1][1].append(at)
        else:
            found.append((PREFIX, [at]))
            open_ = True
    return found


def _merge(parts: list[tuple[str, list[int]]]) -> Group:
    kinds = {kind for kind, _ in parts}
    kind = TURN if TURN in kinds else SUMMARY if kinds == {SUMMARY} else PREFIX
    return Group(kind, tuple(at for _, members in parts for at in members))


def _root(joined: list[int], group: int) -> int:
    while joined[group] != group:
        joined[group] = joined[joined[group]]
        group = joined[group]
    return group
