"""Marks entries that repeat another one: re-appended in the same file, copied by a fork, or stored in a second file.

A marked entry stays part of its session and does not count again in a search.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from backstory.store import sessions
from backstory.store.history import History
from backstory.store.statements import array, load

SQL = load("copies")


def mark(history: History, changed: Mapping[int, int], fresh: Collection[int] = ()) -> None:
    """Makes the marks right again after sessions changed, in them and in their forks and twins.

    `changed` gives the seq from which on a session's entries are new or different. A session that repeats one of these
    is marked as a whole. `fresh` are those of them that were never marked before.
    """
    db = history.db
    keys = list(changed)
    repeating = set(related(history, keys))
    touched = sorted({*keys, *repeating})
    originals: defaultdict[int, set[int]] = defaultdict(set)
    for copy, original in history.rows(SQL.originals, {"keys": array(touched)}):
        originals[copy].add(original)
    for key in touched:
        since = 0 if key in repeating else changed[key]
        if key not in fresh:
            db.execute(SQL.clear, {"key": key, "since": since})
        if since or list(history.rows(SQL.repeated, (key,))):
            db.execute(SQL.within, {"key": key, "since": since})
        for original in sorted(originals[key]):
            db.execute(SQL.of, {"key": key, "since": since, "original": original})
            db.execute(SQL.of_anonymous, {"key": key, "since": since, "original": original})


def set_missing(history: History, paths: Collection[str], *, missing: bool) -> None:
    """Marks sessions whose file vanished, or came back; another file of such a session may count from now on."""
    sessions.set_missing(history, paths, missing=missing)
    pairs = list(history.rows(SQL.namesakes, (array(paths),)))
    mark(history, dict.fromkeys((key for pair in pairs for key in pair), 0))


def twins(history: History, keys: Iterable[int]) -> list[int]:
    """Those of some sessions that are also stored in another file, which counts for both."""
    keys, known = list(keys), history.known()
    unknown = [key for key in keys if ("twin", key) not in known]
    if unknown:
        known.update(dict.fromkeys([("twin", key) for key in unknown], False))
        known.update({("twin", key): True for (key,) in history.rows(SQL.later, (array(unknown),))})
    return [key for key in keys if known["twin", key]]


def contradict(history: History, key: int, others: Iterable[int]) -> bool:
    """Whether other sessions of the same source and id have entries that this one lacks."""
    return any(_lacks(history, key, other) for other in others)


def _lacks(history: History, key: int, other: int) -> bool:
    known = history.known()
    found = known.get(("lacks", key, other))
    if found is None:
        found = known["lacks", key, other] = bool(list(history.rows(SQL.lacking, {"key": other, "other": key})))
    return bool(found)


def related(history: History, keys: Collection[int]) -> list[int]:
    """Sessions that repeat entries of these."""
    return [key for (key,) in history.rows(SQL.copies, {"keys": array(keys)})]
