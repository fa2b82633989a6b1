"""Tells of which entries and sessions their own ids say too little, because others have the same."""

from collections.abc import Iterable

from backstory.store.history import History
from backstory.store.statements import array, load

SQL = load("handles")


def unclear(history: History, ids: Iterable[int]) -> dict[int, tuple[bool, bool]]:
    """Of entries, by row id: whether the id of their session, and whether their own, may mean another one."""
    return {id_: (bool(shared), bool(later)) for id_, shared, later in history.rows(SQL.unclear, (array(ids),))}


def shared(history: History, keys: Iterable[int]) -> set[int]:
    """Those of some sessions whose id another session has too."""
    return {key for (key,) in history.rows(SQL.shared, (array(keys),))}
