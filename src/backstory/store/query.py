"""Exact reads for the query service: sessions, events and what connects them, stored and live.

A session's key is negative when it is live; its rows are then in the live tables. Sessions that this connection hides
(unmounted places, stored logs under a live session, contradictions) are in no answer.
"""

from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import Any

from backstory.records.base import Record
from backstory.records.node import Node
from backstory.records.paging import Slice
from backstory.records.query import Event, EventRecord, SessionRecord
from backstory.store import entries
from backstory.store.history import History
from backstory.store.statements import array, live, load, past
from backstory.store.where import Clause

SQL = load("query")
HIDDEN = " AND s.key NOT IN (SELECT key FROM hidden)"
NOTHING = Clause("", {})
ALL = Slice(0, -1)  # what SQLite takes for no limit


class KeyedSession(Record, frozen=True):
    """A session with its key, the number of its last change, and its file; a live one has none."""

    key: int
    generation: int
    session: SessionRecord
    path: str

    @property
    def state(self) -> str:
        """What a cursor over this session is bound to."""
        return f"{'live' if self.key < 0 else 'stored'}:{self.key}:{self.generation}"


def _sql(name: str) -> str:
    text: str = getattr(SQL, name)
    return text.replace("{session}", SQL.session_columns).replace("{event}", SQL.event_columns)


def _run(history: History, sql: str, args: dict[str, Any]) -> list[tuple[Any, ...]]:
    return history.everywhere(sql.replace("{hidden}", HIDDEN if history.hiding else ""), args)


def _of(key: int, sql: str) -> str:
    return live(sql) if key < 0 else sql


def _found(row: Sequence[Any]) -> KeyedSession:
    key, generation, source, id_, created, updated, cwd, parent, origin, version, title, count, *rest = row
    seed_length, depth, preset, missing, path = rest
    session = SessionRecord(
        source=source, id=id_, created=created, updated=updated, cwd=cwd, parent=parent, origin=origin,
        version=version, title=title, entries=count, seed_length=seed_length, delegation_depth=depth or 0,
        agent_preset=preset, live=key < 0, stored=missing != 2, missing=missing == 1,
        path=path or None,
    )  # fmt: skip
    return KeyedSession(key, generation, session, path)


def _event(row: Sequence[Any]) -> Event:
    return Event(*row)


def listed(history: History, where: Clause, part: Slice) -> list[KeyedSession]:
    """Sessions, newest first, then by id, source and file."""
    sql = _sql("sessions").replace("{where}", where.sql)
    end = part.offset + part.limit
    found = map(_found, _run(history, sql, {**where.args, "most": end}))
    return sorted(found, key=_newest_first)[part.offset : end]


def _newest_first(found: KeyedSession) -> tuple[int, str, str, str, int]:
    session = found.session
    return (-(-1 if session.created is None else session.created), session.id, session.source, found.path, found.key)


def by_keys(history: History, keys: Iterable[int]) -> dict[int, KeyedSession]:
    """Sessions by key."""
    rows = _run(history, _sql("by_keys"), {"keys": array(keys)})
    return {one.key: one for one in map(_found, rows)}


def named(history: History, name: str, source: str | None) -> list[KeyedSession]:
    """Sessions whose id begins with `name`: that very id first, then live, then present, then fuller ones."""
    args = {"name": name, "after": past(name), "source": source}
    found = map(_found, _run(history, _sql("named"), args))

    def order(one: KeyedSession) -> tuple[bool, str, bool, bool, int, str, str, int]:
        row = one.session
        return (row.id != name, row.id, not row.live, row.missing, -row.entries, row.source, one.path, one.key)

    return sorted(found, key=order)


def at(history: History, path: str, source: str | None) -> list[KeyedSession]:
    """The session in this file, if there is one."""
    return list(map(_found, _run(history, _sql("at"), {"path": path, "source": source})))


def conflicts(history: History, name: str, source: str | None) -> list[str]:
    """Ids that begin with `name` of live sessions that contradict their stored log."""
    if not history.live:
        return []
    sql = "SELECT id FROM conflicts WHERE id >= :name AND id < :after AND (:source IS NULL OR source = :source)"
    return [id_ for (id_,) in history.rows(sql, {"name": name, "after": past(name), "source": source})]


def events(
    history: History, key: int, where: Clause = NOTHING, part: Slice = ALL, *, low: int = 0, documents: bool = False
) -> list[Event]:
    """A part of the events of a session from seq `low` on, in order; `documents` keeps to those with text."""
    sql = _of(key, _sql("events").replace("{where}", where.sql))
    args = {"session": key, "low": low, "documents": documents, "limit": part.limit, "offset": part.offset}
    return list(map(_event, history.rows(sql, {**args, **where.args})))


def around(history: History, key: int, seq: int, *, before: int, after: int) -> list[Event]:
    """An event with up to so many neighbours on either side; empty when there is no such event."""
    if not 0 <= seq < 1 << 62:
        return []
    sql = _of(key, _sql("around"))
    args = {"session": key, "seq": seq, "before": before, "after": after + 1}
    found = list(map(_event, history.rows(sql, args)))
    return found if any(one.seq == seq for one in found) else []


def records(history: History, key: int, where: Clause, part: Slice) -> list[EventRecord]:
    """A part of the events of a session without text, in order."""
    sql = _of(key, _sql("records").replace("{where}", where.sql))
    rows = history.rows(sql, {"session": key, "limit": part.limit, "offset": part.offset, **where.args})
    return [EventRecord(*row) for row in rows]


def by_ids(history: History, ids: Sequence[int]) -> dict[int, tuple[Event, str | None]]:
    """Events by row id, each with the file of its session; a live one has none."""
    rows = _run(history, _sql("by_ids"), {"ids": array(ids)})
    return {id_: (_event(row), path or None) for id_, path, *row in rows}


def tie_keys(history: History, ids: Sequence[int]) -> dict[int, tuple[int, int, str, int]]:
    """What literal search orders equally strong events by: length, later time, session id, later number."""
    rows = _run(history, SQL.ties, {"ids": array(ids)})
    return {id_: (size, -time, session, -seq) for id_, size, time, session, seq in rows}


def nodes(history: History, key: int) -> list[Node]:
    """The bare structure of a session."""
    return [one for one, _ in entries.nodes(history, key, live if key < 0 else str)]


def shape(history: History, key: int) -> tuple[str, str]:
    """The shape and dialect of a session (see `Facts`)."""
    [(shape_, dialect)] = history.rows(_of(key, SQL.shape), (key,))
    return shape_, dialect


def sources(history: History, key: int) -> dict[int, tuple[int, ...]]:
    """For each event made from earlier ones, the seqs of those."""
    rows = history.rows(_of(key, SQL.sources), (key,))
    return {seq: tuple(map(int, made_from.split(","))) for seq, made_from in rows}


def titles(history: History, key: int) -> list[tuple[int, int | None, str]]:
    """(seq, time, text) of the last event that set a title, if any."""
    return list(history.rows(_of(key, SQL.title), (key,)))


def families(history: History) -> list[tuple[int, str, str, str | None]]:
    """(key, source, id, parent) of every session, oldest first: what tracing needs of all of them."""
    rows = sorted(_run(history, SQL.families, {}), key=itemgetter(0, 1, 2, 3, 4))
    return [(key, source, id_, parent) for _, id_, source, _, key, parent in rows]


def last_seq(history: History, key: int) -> int | None:
    """The number of the last event."""
    [(last,)] = history.rows(_of(key, "SELECT max(seq) FROM entries WHERE session = ?"), (key,))
    return None if last is None else int(last)
