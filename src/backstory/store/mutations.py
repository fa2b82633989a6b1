"""Finds the memory and pin records of a session, and of all sessions of its project, by their places in the logs."""

from backstory.records.base import Record
from backstory.store.history import History
from backstory.store.statements import load

SQL = load("mutations")


class Marked(Record, frozen=True):
    """One mutation record by its place; `missing` says that the log of its session is gone."""

    session: str
    path: str
    project: str | None
    missing: bool
    seq: int
    entry_id: str | None
    parent_id: str | None
    time: int | None
    type: str
    offset: int
    length: int


def marked(history: History, session: int, project: str | None) -> list[Marked]:
    """Those of a session and, when a project is given, of every session in that working folder; by path and place."""
    rows = history.db.execute(SQL.marked, {"session": session, "project": project})
    return [Marked(id_, path, cwd, bool(missing), *rest) for id_, path, cwd, missing, *rest in rows]
