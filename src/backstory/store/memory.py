"""Keeps memories and pins as they are after the fold, with an index over the words of active memories.

The fold is `plan.memory.fold`, the records behind it are in `store.mutations`, how scores are made is
`plan.memory.select`. Row numbers mean nothing: every order is by what the rows hold.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import chain, pairwise

import msgspec

from backstory.records.base import Record
from backstory.records.memory import Kept
from backstory.store.history import History
from backstory.store.statements import array, load
from backstory.text.match import in_columns, quoted

SQL = load("memory")
COMMON = 1_000


class Viewer(Record, frozen=True):
    """Who asks: a session, its project, and from how many other sessions of the project what they logged is shared."""

    session: str
    project: str | None = None
    sessions: int = 0


class MemoryHit(Record, frozen=True):
    """A memory with the numbers of the query terms in its claim, and whether its key holds one."""

    item: Kept
    terms: tuple[int, ...]
    keyed: bool


def replace(history: History, ties: Iterable[str], items: Iterable[tuple[Kept, int]]) -> None:
    """Put items, each with the row of the mutation that made it, in place of all that these ties name."""
    gone = [(id_,) for (id_,) in history.rows(SQL.ids, (array(ties),))]
    history.db.executemany("DELETE FROM kept WHERE id = ?", gone)
    history.db.executemany("DELETE FROM kept_words WHERE rowid = ?", gone)
    for item, mutation in items:
        owner = item.project if item.scope == "project" else item.session
        history.db.execute(
            SQL.insert,
            (item.kind, item.id, item.scope, owner or "", item.session, item.file is not None, item.status,
             item.created, mutation, msgspec.msgpack.encode(item)),
        )  # fmt: skip
        if item.kind == "memory" and item.status == "active":
            history.db.execute(SQL.insert_words, (history.db.last_insert_rowid(), item.text, item.key))


def listed(history: History, kind: str, viewer: Viewer, *, everything: bool) -> list[Kept]:
    """The memories or pins that concern a session, active ones or all, in the order they were made."""
    args = {"kind": kind, "all": everything, **_args(viewer)}
    return [_item(row[0]) for row in history.rows(_sql("listed"), args)]


def nothing(history: History) -> bool:
    """Whether there are no memories and pins at all."""
    return not list(history.rows(SQL.any))


def everything(history: History) -> Iterator[Kept]:
    """All memories and pins of all sessions, whatever their status, in no order."""
    return (_item(document) for (document,) in history.rows(SQL.everything))


def matching(history: History, viewer: Viewer, terms: Sequence[str], weights: Mapping[str, int]) -> Iterator[MemoryHit]:
    """Active memories that share a word with the terms, best first by the sum of `weights`, read as they are asked for.

    A term that more than a thousand memories hold does not tell them apart and is left out beside rarer ones.
    """
    claims = _told_apart(history, terms)
    keyed = _keyed(history, [terms[number] for number in claims])
    counts = Counter(chain.from_iterable(claims.values()))
    tiers: defaultdict[int, list[int]] = defaultdict(list)
    for id_ in counts.keys() | keyed:
        words = min(weights["most_for_terms"], weights["for_term"] * counts[id_])
        tiers[words + weights["for_key"] * (id_ in keyed)].append(id_)
    for id_ in _ranked(history, viewer, tiers, weights):
        [(document,)] = history.rows(SQL.document, (id_,))
        yield MemoryHit(_item(document), tuple(number for number, ids in claims.items() if id_ in ids), id_ in keyed)


def _told_apart(history: History, terms: Sequence[str]) -> dict[int, set[int]]:
    """The rows whose claim holds a term, for each term by number; of common ones only without rarer."""
    wordy = [number for number, term in enumerate(terms) if any(map(str.isalnum, term)) and "\0" not in term]
    found = _claims(history, terms, wordy, COMMON + 1)
    rare = {number: ids for number, ids in found.items() if len(ids) <= COMMON}
    return rare if rare or not found else _claims(history, terms, wordy, -1)


def _keyed(history: History, terms: Sequence[str]) -> set[int]:
    """The rows whose key holds any of the terms."""
    if not terms:
        return set()
    match = in_columns(["key"], " OR ".join(map(quoted, terms)))
    return {id_ for (id_,) in history.rows(SQL.keyed, (match,))}


def _claims(history: History, terms: Sequence[str], numbers: Sequence[int], most: int) -> dict[int, set[int]]:
    """At most so many rows whose claim holds a term, for each of the terms; -1 for all of them."""
    matches = {number: in_columns(["claim"], quoted(terms[number])) for number in numbers}
    rows = history.rows(SQL.matching, {"matches": msgspec.json.encode(matches).decode(), "most": most})
    return {int(number): set(map(int, ids.split(","))) if ids else set() for number, ids in rows}


def _ranked(
    history: History, viewer: Viewer, tiers: Mapping[int, Sequence[int]], weights: Mapping[str, int]
) -> Iterator[int]:
    """Rows by score, newest first within one; a tier is looked up only once nothing above it can be left."""
    bonus = (weights["of_project"], weights["of_session"])
    waiting: list[tuple[int, int, str, int]] = []
    order = sorted(tiers, reverse=True)
    for tier, after in pairwise([*order, -max(bonus) - 1]):
        args = {"ids": array(tiers[tier]), **_args(viewer)}
        for own, created, name, id_ in history.rows(_sql("applying"), args):
            heappush(waiting, (-tier - bonus[own], -created, name, id_))
        while waiting and -waiting[0][0] > after + max(bonus):
            yield heappop(waiting)[3]


def newest(history: History, viewer: Viewer, limit: int) -> list[Kept]:
    """The latest active memories: `limit` of the session and as many of its project, in no order."""
    return [_item(row[0]) for row in history.rows(_sql("newest"), {"limit": limit, **_args(viewer)})]


def _sql(name: str) -> str:
    text: str = getattr(SQL, name)
    return text.replace("{applies}", SQL.applies)


def _args(viewer: Viewer) -> dict[str, object]:
    return {"session": viewer.session, "project": viewer.project, "sessions": viewer.sessions}


def _item(document: bytes) -> Kept:
    return msgspec.msgpack.decode(document, type=Kept)
