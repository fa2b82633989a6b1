"""Finds earlier entries of one branch that hold a term; what is off the branch is only counted.

The branch is given as one byte per sequence number, so that it narrows a search inside SQL, before any limit. Rows are
read in FTS5's own order and sorted afterwards: read backwards, it does not skip to where a session lies.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence

import msgspec

from backstory.records.base import Record
from backstory.store.context import EntryText
from backstory.store.history import History
from backstory.store.statements import array, load, split
from backstory.text.fold import spaced
from backstory.text.match import any_of, in_columns, quoted

SQL = load("recall")
LONGEST = 200_000
_COLUMNS = ("said", "result")


class BranchRows(Record, frozen=True):
    """Entries of a session by their place in a branch: `marks` is 1 at the sequence numbers that belong to it.

    Only entries behind the sequence number `after` are looked at; `first` and `last` bound their row ids, and up to
    `reached` they are indexed.
    """

    session: int
    marks: bytes
    first: int
    last: int
    after: int = -1
    reached: int = -1


def branch(history: History, session: int, seqs: Sequence[int], after: int = -1) -> BranchRows:
    """A branch of a session, given by ascending sequence numbers, or the part of one behind a number."""
    marks = bytearray(seqs[-1] + 1 if seqs else 0)
    marks[: after + 1] = b"\1" * min(after + 1, len(marks))
    for seq in seqs[bisect_right(seqs, after) :]:
        marks[seq] = 1
    [(first, last, reached)] = history.rows(SQL.span, {"session": session, "after": after})
    return BranchRows(session, bytes(marks), first, last, after, reached)


def entries_with(history: History, where: BranchRows, term: str, limit: int) -> list[int]:
    """Sequence numbers of entries on the branch that hold a term as whole tokens, in a row; the newest first."""
    match = in_columns(_COLUMNS, quoted(spaced(term)))
    return [seq for (seq,) in history.rows(SQL.holding, {"match": match, "limit": limit, **_args(where)})]


def saying(history: History, where: BranchRows, word: str, limit: int) -> list[int]:
    """The same for a plain word: in any form with its stem where people and agents speak, as it is in results."""
    spoken = {"match": quoted(spaced(word)), "limit": limit, **_args(where)}
    found = {seq for (seq,) in history.rows(SQL.spoken, spoken)}
    results = {**spoken, "match": in_columns(["result"], quoted(spaced(word)))}
    found.update(seq for (seq,) in history.rows(SQL.holding, results))
    return sorted(found, reverse=True)[:limit]


def gained(history: History, where: BranchRows, exact: Iterable[str], plain: Iterable[str]) -> dict[str, list[int]]:
    """What `entries_with` gives for exact terms and `saying` for plain ones, without a limit, in two looks for all.

    For a branch that gained little since the terms were looked up one by one. Terms that nothing holds are left out.
    """
    spoken = {word: quoted(spaced(word)) for word in plain}
    held = {word: in_columns(["result"], match) for word, match in spoken.items()}
    held |= {term: in_columns(_COLUMNS, quoted(spaced(term))) for term in exact}
    found: dict[str, set[int]] = {}
    for sql, matches in ((SQL.gained_spoken, spoken), (SQL.gained_held, held)):
        for term, seq in history.rows(sql, {"matches": msgspec.json.encode(matches).decode(), **_args(where)}):
            found.setdefault(term, set()).add(seq)
    return {term: sorted(seqs, reverse=True) for term, seqs in found.items()}


def elsewhere(history: History, where: BranchRows, terms: Sequence[str]) -> int:
    """How many entries that stand off the branch, before its end, hold any of the terms."""
    if 0 not in where.marks:
        return 0
    match = in_columns(_COLUMNS, any_of([spaced(term) for term in terms]))
    [(off,)] = history.rows(SQL.elsewhere, {"match": match, **_args(where)})
    return int(off)


def texts(history: History, session: int, seqs: Iterable[int]) -> list[EntryText]:
    """What was said and done at sequence numbers, in order; of a text beyond 200,000 characters the beginning."""
    rows = history.rows(SQL.texts, {"session": session, "seqs": array(seqs), "longest": LONGEST})
    return [
        EntryText(seq, entry_id, kind, time, tool, split(paths), split(calls), text)
        for seq, entry_id, kind, time, tool, paths, calls, text in rows
    ]


def _args(where: BranchRows) -> dict[str, object]:
    bounds = {"first": where.first, "last": where.last, "after": where.after}
    return {"session": where.session, "marks": where.marks, **bounds}
