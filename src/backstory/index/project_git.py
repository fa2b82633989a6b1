"""Notes in a project's index what Git says: which files are tracked and modified, where HEAD stands, what commits say.

Reads no file. What Git does not track counts as modified too, which is every file of a project without Git. Neighbours:
`project.git` asks Git, `index.projects` calls this once the files themselves are up to date.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from backstory.index.project_job import Job
from backstory.project import git
from backstory.project.discover import Discovery
from backstory.records.project import Revision
from backstory.store.project import commits as stored
from backstory.store.project import files, state
from backstory.store.project.database import ProjectStore
from backstory.store.project.rows import KnownFile
from backstory.store.project.state import IndexState

MOST_CHANGED = 1000
# As many paths as a command line surely takes.
MOST_NAMED = 50
# To be raised when the past begins to be read otherwise, so that it is read again.
RULES = 2
_UNREAD = "unread "


def note_history(store: ProjectStore, root: Path, head: git.Head | None, before: str | None) -> str | None:
    """Makes the store know the ancestors of HEAD and no other commits; `before` tells of which HEAD it knows them.

    Gives what to tell next time. Where they could not be read none are known, and `unread` says so.
    """
    mark = _mark(head)
    if before == mark or (mark and before == f"{_UNREAD}{mark}"):
        return before
    commits: list[git.Commit] | None = []
    follows = False
    if head and head.commit:
        known = before.removeprefix(f"{RULES} ") if before and before.startswith(f"{RULES} ") else None
        commits, follows = unknown(root, head.commit, None if head.shallow else known)
    noted = mark if commits is not None else f"{_UNREAD}{mark}"
    with store.writing("index commit messages"):
        _add(store, commits or [], afresh=commits is None or not follows)
        state.put_history(store, noted)
    return noted


def unread(mark: str | None) -> bool:
    """Whether the commits of a HEAD could not be read."""
    return bool(mark and mark.startswith(_UNREAD))


def _mark(head: git.Head | None) -> str | None:
    """What the past is read by. That of a shallow clone may grow backwards."""
    return f"{RULES} {'shallow ' if head.shallow else ''}{head.commit}" if head and head.commit else None


def unknown(root: Path, commit: str, known: str | None) -> tuple[list[git.Commit] | None, bool]:
    """What to store of the past of a commit, newest first, and whether that follows the past of a `known` one.

    Only commits in a straight line do: where a branch was merged, its commits lie between others.
    """
    most = stored.MOST_COMMITS
    follows = known is not None and git.straight(root, known, commit, most)
    return git.history(root, most, commit, known if follows else None), follows


def add_history(store: ProjectStore, commits: Sequence[git.Commit], *, afresh: bool) -> None:
    """Stores commits, newest first, after those that are known or in place of them."""
    with store.writing("index commit messages"):
        _add(store, commits, afresh=afresh)


def _add(store: ProjectStore, commits: Sequence[git.Commit], *, afresh: bool) -> None:
    triples = [(one.id, one.message, one.paths) for one in commits]
    moved = [pair for one in reversed(commits) for pair in one.moved]
    stored.append(store, triples, moved, afresh=afresh)


def note_standing(
    job: Job, discovery: Discovery, rows: Mapping[str, KnownFile], stored: IndexState, *, busy: bool
) -> None:
    """Brings the Git standing of files and the state row up to date; writes nothing when nothing changed.

    `rows` are the files as they are stored now; `stored` is the state before this pass, but for its `history_head`,
    which is what `note_history` gave. `busy` says that this pass changed any file.
    """
    store, root, before = job.store, job.root, stored.revision
    blobs, tree = discovery.blobs, discovery.head
    top, branch, head = (tree.top, tree.branch, tree.commit) if tree else (None, None, None)
    held = [row for row in rows.values() if row.status != "excluded"]
    fresh = before.indexed_at is None
    doubtful = [row for row in held if _differs(row, blobs, modified=blobs.get(row.path) != row.blob)]
    if not (busy or doubtful or fresh) and (top, branch, head) == (before.git_root, before.branch, before.head):
        return
    judged = held if before.head != head else doubtful
    modified = _modified(root, judged, blobs) | (git.staged(root) if head else set())
    standing = {row.path: row.path in modified for row in judged}
    moved = [row for row in judged if _differs(row, blobs, modified=standing[row.path])]
    changed = _changed(held, standing) if tree else []
    revision = Revision(top, branch, head, bool(changed), tuple(changed[:MOST_CHANGED]), job.now())
    if not (busy or moved or fresh) and msgspec.structs.replace(revision, indexed_at=before.indexed_at) == before:
        return
    with store.writing("note the state of the project"):
        for row in moved:
            stat = (row.size, row.mtime, row.ctime)
            files.touch(store, row.path, stat, tracked=row.path in blobs, modified=standing[row.path])
        state.put(store, str(root), revision, stored.history_head)


def _modified(root: Path, rows: Sequence[KnownFile], blobs: Mapping[str, str]) -> set[str]:
    """The paths whose files are not what Git's index holds; where only the bytes differ, Git may know of no change."""
    differing = {row.path: (row.size, row.mtime, row.ctime) for row in rows if blobs.get(row.path) != row.blob}
    tracked = [path for path in differing if path in blobs]
    clean = git.clean_stats(root, tracked if len(tracked) <= MOST_NAMED else ()) if tracked else {}
    return {path for path, stat in differing.items() if clean.get(path) != stat}


def note_named(store: ProjectStore, paths: Sequence[str]) -> None:
    """Brings what the state says of named files up to date with their rows, inside the caller's transaction.

    One that differed from the last commit may equal it again, which only Git knows: the next look asks it.
    """
    before = state.get(store).revision
    if before.git_root is None:
        return
    if not set(paths).isdisjoint(before.changed):
        state.put_listed(store, None)
    rows = [row for path in paths if (row := files.known_one(store, path)) is not None]
    held = (row for row in rows if row.status != "excluded")
    changed = tuple(sorted(set(before.changed).difference(paths).union(_changed(held, {})))[:MOST_CHANGED])
    if changed != before.changed:
        state.put_changed(store, changed)


def _differs(row: KnownFile, blobs: Mapping[str, str], *, modified: bool) -> bool:
    """Whether the stored standing of a file is another now."""
    return bool(row.modified) != modified or bool(row.tracked) != (row.path in blobs)


def _changed(held: Iterable[KnownFile], standing: Mapping[str, bool]) -> list[str]:
    """The paths that differ from HEAD, in order."""
    return sorted(row.path for row in held if standing.get(row.path, bool(row.modified)))
