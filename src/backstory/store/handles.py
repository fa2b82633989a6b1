"""Tells of which entries and sessions their own ids say too little, because others have the same."""

from collections.abc import Iterable
from typing import NamedTuple

from backstory.store.history import History
from backstory.store.statements import array, load

SQL = load("handles")


class Unclear(NamedTuple):
    """Whether the id of an entry's session, or its own, may mean another one; its number in a form that is no id."""

    session: bool
    entry: bool
    number: str


def unclear(history: History, ids: Iterable[int]) -> dict[int, Unclear]:
    """What the ids of entries say too little of, by row id."""
    rows = history.rows(SQL.unclear, (array(ids),))
    return {id_: Unclear(bool(shared), bool(later), number) for id_, shared, later, number in rows}


def shared(history: History, keys: Iterable[int]) -> set[int]:
    """Those of some sessions whose id another session has too."""
    return {key for (key,) in history.rows(SQL.shared, (array(keys),))}
