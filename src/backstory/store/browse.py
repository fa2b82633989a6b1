"""Reads sessions and entries to list, name and show, and forgets them."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from backstory.records.base import Record
from backstory.records.browsing import SessionRow, ShownEntry
from backstory.records.filters import SessionFilter
from backstory.records.problem import Damage
from backstory.records.session import Facts
from backstory.store import copies, entries
from backstory.store.history import History
from backstory.store.statements import array, load, past
from backstory.store.where import sessions_where

SQL = load("browse")
# Damaged records that are named one by one.
MOST_DAMAGE = 20


class LogFile(Record, frozen=True):
    """The file of a session: its size in bytes, what was read of it, and the place (source, path) it was found in."""

    source: str
    path: str
    bytes: int
    entries: int
    malformed: int
    missing: int
    place_source: str
    place_path: str


def _sql(name: str) -> str:
    text: str = getattr(SQL, name)
    return text.replace("{columns}", SQL.columns)


def _session(row: Sequence[Any]) -> tuple[int, SessionRow]:
    key, source, id_, *rest = row
    title, cwd, created, updated, count, malformed, origin, parent, model, missing, path, twin = rest
    values = (source, id_, title, cwd, created, updated, count, malformed, origin, parent, model)
    return key, SessionRow(*values, bool(missing), path, bool(twin))


def listed(
    history: History, *, agents: Sequence[str] = (), projects: Sequence[str] = (), limit: int, offset: int = 0
) -> list[SessionRow]:
    """Sessions, the latest first; of any of the agents and in any of the projects, where some are given."""
    clause = sessions_where(SessionFilter(sources=tuple(agents) or None, projects=tuple(projects) or None)).clause()
    args = {**clause.args, "limit": limit, "offset": offset}
    return [_session(row)[1] for row in history.rows(_sql("list").replace("{conditions}", clause.sql), args)]


def by_keys(history: History, keys: Iterable[int]) -> dict[int, SessionRow]:
    """Sessions by their keys."""
    return dict(map(_session, history.rows(_sql("by_keys"), (array(keys),))))


def named(history: History, name: str, source: str | None) -> list[tuple[int, SessionRow]]:
    """Sessions whose id begins with `name`."""
    args = {"name": name, "after": past(name), "source": source}
    return list(map(_session, history.rows(_sql("named"), args)))


def at(history: History, path: str, source: str | None) -> list[tuple[int, SessionRow]]:
    """The session in this file, if there is one."""
    return list(map(_session, history.rows(_sql("at"), {"path": path, "source": source})))


def shown(history: History, session: int, seqs: Sequence[int]) -> list[ShownEntry]:
    """Entries in full, in file order."""
    rows = history.rows(SQL.entries, {"session": session, "seqs": array(seqs)})
    return [ShownEntry(*row) for row in rows]


def seqs(history: History, session: int, *, everything: bool) -> list[int]:
    """Sequence numbers of a session's entries, those without text only if asked for."""
    rows = history.rows(SQL.seqs, {"session": session, "all": everything})
    return [seq for (seq,) in rows]


def facts(history: History, session: int) -> Facts:
    """What the source knows of a session."""
    [(text,)] = history.rows(SQL.facts, (session,))
    return msgspec.json.decode(text, type=Facts)


def files(history: History) -> list[LogFile]:
    """The file of every stored session, missing ones included, in no order."""
    return [LogFile(*row) for row in history.rows(SQL.files)]


def sessions(history: History) -> int:
    """How many sessions are stored, missing ones included."""
    [(count,)] = history.rows("SELECT count(*) FROM sessions")
    return int(count)


def names(history: History) -> set[tuple[str, str]]:
    """Source and id of every stored session, missing ones included."""
    return {(str(source), str(id_)) for source, id_ in history.rows("SELECT source, id FROM sessions")}


def damage(history: History, session: int | None = None) -> tuple[Damage, ...]:
    """The first records that were skipped, of one session or of all."""
    rows = history.rows(SQL.damage, {"session": session, "most": MOST_DAMAGE})
    return tuple(Damage(path, line, offset, reason, bool(oversized)) for path, line, offset, reason, oversized in rows)


def forget(history: History, session: int) -> None:
    """Removes a session with everything derived from it; copies of its entries count again."""
    affected = copies.related(history, [session])
    entries.delete(history, entries.ids_from(history, session, -1))
    entries.clear_session(history, session)
    history.db.execute(SQL.delete_session, (session,))
    copies.mark(history, dict.fromkeys(affected, 0))


def entry_names(history: History, session: int) -> list[tuple[int, str | None, bool]]:
    """(seq, native id, whether it has text) of every entry of a session, in order."""
    return list(history.rows(SQL.entry_names, (session,)))


def missing(history: History) -> list[tuple[int, SessionRow]]:
    """Sessions whose file is gone."""
    return list(map(_session, history.rows(_sql("missing"))))
