"""Everything the history database says, in a form two databases can be compared by.

Left out is only what two builds of the same logs may differ in: row ids, generations and what places are called by
inside. Sessions whose file is gone are left out as well, since a clean build cannot know them.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import apsw
import msgspec

from backstory.index.look import Report, look
from backstory.index.sync import Sync
from backstory.records.checkpoint import Checkpoint
from backstory.records.node import Tip
from backstory.sources import registry
from backstory.sources.discover import Place
from backstory.store import browse
from backstory.store.history import History, open_history

SUFFIXES = tuple(sorted({suffix for location in registry.locations() for suffix in location.suffixes}))
VIEW = dict[str, Any]


def sources() -> list[Any]:
    """All sources."""
    return [registry.load(name) for name in registry.names()]


def sync(history: History, places: Sequence[Place], **more: Any) -> Report:
    """One pass over some places."""
    seen = look(history, places, SUFFIXES)
    return Sync(history, sources(), **more).run(seen)


def clean(places: Sequence[Place]) -> VIEW:
    """What a build from nothing says of these places."""
    history = open_history(":memory:")
    try:
        sync(history, places)
        return projection(history)
    finally:
        history.close()


def of_file(path: Path) -> VIEW:
    """What a database file says."""
    history = open_history(str(path))
    try:
        return projection(history)
    finally:
        history.close()


def settled(history: History) -> VIEW:
    """What a database would say once its missing sessions were forgotten; the database itself is left alone."""
    image = apsw.Connection(":memory:")
    image.deserialize("main", history.db.serialize("main"))
    other = History(":memory:", image)
    try:
        with other.write("forget"):
            for key, _ in browse.missing(other):
                browse.forget(other, key)
        return projection(other)
    finally:
        other.close()


def projection(history: History) -> VIEW:
    """The comparable form of a database."""
    paths: dict[int, str] = dict(history.rows("SELECT key, path FROM sessions WHERE missing = 0"))
    places = {
        id_: (paths[key], seq)
        for id_, key, seq in history.db.execute("SELECT id, session, seq FROM entries")
        if key in paths
    }
    return {
        "sessions": _sessions(history, paths),
        "entries": _entries(history, places),
        "texts": {places[id_]: text for id_, text in history.db.execute("SELECT id, text FROM texts") if id_ in places},
        "damage": sorted(
            (paths[key], *rest)
            for key, *rest in history.db.execute("SELECT session, line, offset, length, reason, oversized FROM damage")
            if key in paths
        ),
        "literal": _tokens(history, "literal", places),
        "words": _tokens(history, "words", places),
        "passages": _passages(history, paths),
    }


def _sessions(history: History, paths: dict[int, str]) -> dict[str, VIEW]:
    found = {}
    for view in _rows(
        history, "SELECT s.*, r.source AS place, r.path AS folder FROM sessions s JOIN roots r ON r.id = s.root"
    ):
        if view["key"] in paths:
            view["tip"] = msgspec.json.decode(view["tip"], type=Tip)
            view["checkpoint"] = msgspec.msgpack.decode(view["checkpoint"], type=Checkpoint)
            found[view["path"]] = {
                name: value for name, value in view.items() if name not in {"key", "root", "generation"}
            }
    return found


def _entries(history: History, places: dict[int, tuple[str, int]]) -> dict[tuple[str, int], VIEW]:
    rows = _rows(history, "SELECT * FROM entries")
    return {
        places[row["id"]]: {name: value for name, value in row.items() if name not in {"id", "session"}}
        for row in rows
        if row["id"] in places
    }


def _rows(history: History, sql: str) -> list[VIEW]:
    cursor = history.db.execute(sql)
    names: list[str] = []
    rows = []
    for row in cursor:
        names = names or [column[0] for column in cursor.getdescription()]
        rows.append(dict(zip(names, row, strict=True)))
    return rows


def _tokens(history: History, index: str, places: dict[Any, Any]) -> list[Any]:
    history.db.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.{index}_seen USING fts5vocab(main, {index}, instance)")
    rows = history.db.execute(f"SELECT doc, col, offset, term FROM temp.{index}_seen").fetchall()  # noqa: S608
    history.db.execute(f"DROP TABLE temp.{index}_seen")
    return sorted((places[doc], *rest) for doc, *rest in rows if doc in places)


def _passages(history: History, paths: dict[int, str]) -> list[Any]:
    spans = {
        id_: (paths[key], *rest)
        for id_, key, *rest in history.db.execute("SELECT id, session, first, last, size FROM passage_spans")
        if key in paths
    }
    return [sorted(spans.values()), _tokens(history, "passages", spans)]
