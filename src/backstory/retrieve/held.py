"""Finds the rows that hold the names and the exact phrases of a query as they stand, whatever else is in them.

Before it in the flow: `asked`. After it: `candidates`.
"""

from collections.abc import Mapping

from backstory.records.base import Record
from backstory.retrieve.asked import SearchBounds
from backstory.retrieve.rank import Rows
from backstory.store import search, vocabulary
from backstory.store.history import History
from backstory.text.fold import spaced
from backstory.text.match import in_columns, phrase
from backstory.text.query import Query

HELD = 120
MENTIONED = 300
MOST_NAMES = 6
MOST_NAMES_ASIDE = 3


class NameRows(Record, frozen=True):
    """Rows that hold names, as id -> (session, share), and of those whose session is not known id -> share.

    `only`: the rows that hold all exact phrases, None where that says nothing. `truncated`: more rows hold some.
    `missed`: no row holds all phrases.
    """

    rows: Mapping[int, tuple[int, float]]
    mentioned: Mapping[int, float]
    only: frozenset[int] | None
    truncated: bool
    missed: bool


def holders(history: History, query: Query, bounds: SearchBounds, words: Rows, *, decisive: bool) -> NameRows:
    """Rows that hold names (with the share they hold), and the rows that hold all exact phrases, if any were asked."""
    names = query.names[: MOST_NAMES if decisive else MOST_NAMES_ASIDE]
    sessions = {id_: row.session for id_, row in words.items()}
    shares: dict[int, float] = {}
    truncated = False
    for name in names:
        if decisive:
            rows = _in_either_case(history, name, bounds)
            truncated = truncated or len(rows) >= HELD
            sessions.update(rows)
            ids = [id_ for id_, _ in rows]
        else:
            ids = _mentioned(history, name, bounds)
        for id_ in ids:
            shares[id_] = shares.get(id_, 0.0) + 1 / len(names)
    held = {id_: (sessions[id_], share) for id_, share in shares.items() if id_ in sessions}
    mentioned = {id_: share for id_, share in shares.items() if id_ not in held}
    only: frozenset[int] | None = None
    for wanted in query.phrases:
        rows = _literally(history, wanted, bounds)
        truncated = truncated or len(rows) >= HELD
        held |= {id_: (session, held.get(id_, (0, 0.0))[1]) for id_, session in rows}
        found = frozenset(id_ for id_, _ in rows)
        only = found if only is None else only & found
    return NameRows(held, mentioned, only or None, truncated, missed=only is not None and not only)


def _in_either_case(history: History, name: str, bounds: SearchBounds) -> list[tuple[int, int]]:
    """Rows that hold a name as it stands; where none does, a name of one word in the other case, as `C++` for `c++`.

    The words of a longer name say as much as the name; of `c++` only the signs do.
    """
    rows = _literally(history, name, bounds)
    if rows or len(vocabulary.tokens(history, spaced(name), stemmed=False)) != 1:
        return rows
    other = name.lower() if name == name.upper() else name.upper()
    return _literally(history, other, bounds) if other != name else rows


def _literally(history: History, text: str, bounds: SearchBounds) -> list[tuple[int, int]]:
    """(id, session) of at most `HELD` rows that hold a text as it stands."""
    match = _phrase(history, text)
    if not match:
        return []
    return search.with_text(history, match, text, below=bounds.ids.stop, limit=HELD, where=bounds.where)


def _mentioned(history: History, name: str, bounds: SearchBounds) -> list[int]:
    """Rows that hold the words of a name in a row: beside other words that says as much, unread."""
    match = _phrase(history, name)
    if not match:
        return []
    return search.with_phrase(history, match, below=bounds.ids.stop, most=MENTIONED)


def _phrase(history: History, text: str) -> str:
    tokens = vocabulary.tokens(history, spaced(text), stemmed=False)
    return in_columns(("said", "result"), phrase(tokens)) if tokens else ""
