"""The one row that says how far a project's index has come: what Git said last, and what was listed then.

Neighbours: `index.projects` and `index.project_git` write it, everybody who answers from the index reads it.
"""

from collections.abc import Sequence

import msgspec

from backstory.records.project import Listed, Revision
from backstory.store.project.database import ProjectStore
from backstory.store.statements import load

SQL = load("project/state")


class IndexState(msgspec.Struct, frozen=True):
    """The state row: what Git said, by what commit history was read, a counter of changes, what was listed.

    `rules` is the version of those by which every file was read, 0 where some were read by unknown ones.
    """

    revision: Revision
    history_head: str | None = None
    number: int = 0
    listed: Listed | None = None
    rules: int = 0


def get(store: ProjectStore) -> IndexState:
    """The state of the last synchronisation; an empty one before the first."""
    found = store.rows(SQL.get)
    if not found:
        return IndexState(Revision())
    git_root, branch, head, dirty, changed, indexed_at, history_head, number, listed, rules = found[0]
    revision = Revision(git_root, branch, head, bool(dirty), tuple(msgspec.json.decode(changed)), indexed_at)
    known = msgspec.json.decode(listed, type=Listed) if listed else None
    return IndexState(revision, history_head, number, known, rules)


def put(store: ProjectStore, root: str, revision: Revision, history_head: str | None) -> None:
    """Replaces the state and counts the change."""
    fields = msgspec.structs.asdict(revision) | {"root": root, "history_head": history_head}
    fields["dirty"] = int(revision.dirty)
    fields["changed"] = msgspec.json.encode(revision.changed).decode()
    store.connection.execute(SQL.put, fields)


def put_history(store: ProjectStore, history_head: str | None) -> None:
    """Notes of which commit the past is known; before the first state there is nothing to note it in."""
    store.connection.execute("UPDATE state SET history_head = ?", (history_head,))


def put_changed(store: ProjectStore, changed: Sequence[str]) -> None:
    """Notes which files differ from the last commit."""
    text = msgspec.json.encode(changed).decode()
    store.connection.execute("UPDATE state SET dirty = ?, changed = ?", (int(bool(changed)), text))


def put_listed(store: ProjectStore, listed: Listed | None, rules: int | None = None) -> None:
    """Notes that the files are exactly those of a listing; None when that may no longer be so.

    With `rules` that all of them were read by these.
    """
    text = msgspec.json.encode(listed).decode() if listed else None
    store.connection.execute("UPDATE state SET listed = ?, rules = coalesce(?, rules)", (text, rules))
