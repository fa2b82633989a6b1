"""Knows calls of our own command among candidates: that something was asked for is no answer to it.

An agent that searched six times for something holds its words six times, and would stand above the session that was
looked for. What such a call says stays findable; it only counts less. Calls of our tools inside an agent are not
known here: nothing tells cheaply whether there are any.
"""

import re
from collections.abc import Mapping

from backstory.retrieve.rank import RowScore
from backstory.store import search
from backstory.store.history import History

# What a call is worth beside the same words said, as an entry and for its session.
ENTRY_SHARE = 0.5
SESSION_SHARE = 0.1
STEM = "backstori"
_CALL = re.compile(r"(?:^|[\n;&|(`\"])\s*(?:\w+=\S*\s+)*(?:[\w.~+/-]*/)?backstory\s+(?:--?\w|[a-z]+)")

Rows = Mapping[int, tuple[int, int, RowScore]]


def quieted(history: History, rows: Rows) -> Rows:
    """The same rows as id -> (session, seq, score), with less for calls of our command."""
    if not rows or not search.documents(history, STEM):
        return rows
    own = {id_ for id_, text in search.calls(history, rows) if _CALL.search(text)}
    return {id_: (session, seq, _less(score) if id_ in own else score) for id_, (session, seq, score) in rows.items()}


def _less(score: RowScore) -> RowScore:
    return RowScore(score.entry * ENTRY_SHARE, score.session * SESSION_SHARE)
