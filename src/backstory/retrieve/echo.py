"""Knows calls of our own command and tools among candidates: that something was asked for is no answer to it.

An agent that searched six times for something holds its words six times, and would stand above the session that was
looked for. What such a call says stays findable; it only counts less.
"""

import re

import msgspec

from backstory.records.tool_names import RECALL
from backstory.retrieve.rank import Row, Rows, RowScore
from backstory.store import search, vocabulary
from backstory.store.history import History
from backstory.text.match import phrase

# What a call is worth beside the same words said, as an entry and for its session.
ENTRY_SHARE = 0.5
SESSION_SHARE = 0.1
# Stems of which every such call holds one.
STEMS = ("backstori", "recal")
COMMAND = "backstory"
_CALL = re.compile(r"(?:^|[\n;&|(`\"])\s*(?:\w+=\S*\s+)*(?:[\w.~+/-]*/)?backstory\s+(?:--?\w|[a-z]+)")


def quieted(history: History, rows: Rows) -> Rows:
    """The same rows, with less for calls of our own."""
    if not rows or not _any(history):
        return rows
    own = {
        id_ for id_, tool, text in search.calls(history, rows, RECALL, COMMAND) if tool == RECALL or _CALL.search(text)
    }
    return {id_: _less(row) if id_ in own else row for id_, row in rows.items()}


def _any(history: History) -> bool:
    """Whether there may be calls of our own at all: looking for them in the texts of all candidates takes long."""
    if history.live:
        return any(vocabulary.documents(history, stem) for stem in STEMS)
    known = history.known()
    if "own calls" not in known:
        known["own calls"] = bool(vocabulary.documents(history, STEMS[0]) or _named(history))
    return bool(known["own calls"])


def _named(history: History) -> bool:
    """Whether the name of our tool may stand in an entry; its last stem alone is a word like any other."""
    if not vocabulary.documents(history, STEMS[1]):
        return False
    # In any form: the index of words as they stand is five times as large, and going there costs a first search most.
    return vocabulary.said(history, phrase(vocabulary.tokens(history, RECALL, stemmed=False)))


def _less(row: Row) -> Row:
    score = row.score
    parts = tuple(ENTRY_SHARE * part for part in score.parts)
    return msgspec.structs.replace(row, score=RowScore(score.entry * ENTRY_SHARE, score.session * SESSION_SHARE, parts))
