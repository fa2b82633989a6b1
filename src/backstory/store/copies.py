"""Marks entries that repeat another one: re-appended in the same file, copied by a fork, or stored in a second file.

A marked entry stays part of its session and does not count again in a search.
"""

import json
from collections import defaultdict
from collections.abc import Iterable

from backstory.store.history import History
from backstory.store.statements import load

SQL = load("copies")


def mark(history: History, keys: Iterable[int]) -> None:
    """Makes the marks right again after the sessions `keys` changed, in them and in their forks and twins."""
    db = history.db
    changed = list(keys)
    named = {"keys": json.dumps(changed)}
    originals: defaultdict[int, set[int]] = defaultdict(set)
    for query in (SQL.forks, SQL.twins):
        for copy, original in db.execute(query, named).fetchall():
            originals[copy].add(original)
    for key in sorted({*changed, *originals}):
        db.execute(SQL.clear, (key,))
        db.execute(SQL.within, (key,))
        for original in sorted(originals[key]):
            db.execute(SQL.of, (key, original))
            db.execute(SQL.of_anonymous, (key, original))


def related(history: History, key: int) -> list[int]:
    """Sessions that repeat entries of this one."""
    named = {"keys": json.dumps([key])}
    found = {copy for query in (SQL.forks, SQL.twins) for copy, original in history.db.execute(query, named) if original == key}
    return sorted(found - {key})
