"""Looks at named files of a project only: what a tool has just changed, and what a search found to differ.

Whoever calls has checked trust. Neighbours: `index.projects` looks at all files, `index.project_job` takes each in,
`index.project_git` notes what Git says of them.
"""

from collections.abc import Sequence

from backstory.index import project_git
from backstory.index.project_job import LEASE, Job, take_in
from backstory.project.discover import Discovery, discover, look
from backstory.project.guards import excluded_path
from backstory.project.reading import Reader
from backstory.store.project import files, lease


def refresh(job: Job, paths: Sequence[str], *, owner: str) -> dict[str, str]:
    """Looks at named files only, relative to the root; per path `indexed`, `excluded`, `removed` or `skipped`.

    Git is asked only about files it was not known to track. While another process holds the lease the files are marked
    stale instead, which keeps them out of results.
    """
    store = job.store
    job.lease = lease.acquire(store, LEASE, owner, job.now())
    if job.lease is None:
        with store.writing("mark project files stale"):
            files.mark_stale(store, paths)
        return dict.fromkeys(paths, "stale")
    outcome: dict[str, str] = {}
    try:
        blobs, allowed = _standing(job, paths)
        with Reader(str(job.root), job.limits.file_bytes) as reader, store.writing("index named project files"):
            for path in paths:
                if path in allowed:
                    outcome[path] = take_in(job, reader, path, blobs)
                else:
                    outcome[path] = "removed" if files.remove(store, [path]) else "skipped"
            files.merge(store)
            project_git.note_named(store, paths)
    finally:
        lease.release(store, job.lease)
    return outcome


def _standing(job: Job, paths: Sequence[str]) -> tuple[dict[str, str], set[str]]:
    """Blob ids of those paths that Git tracks, and the paths that may be indexed at all.

    Of a file that differed from the last commit already the blob is unknown, as Git is not asked: it counts as
    modified until the next look at the whole project.
    """
    known = {path: files.known_one(job.store, path) for path in paths}
    tracked = [row for row in known.values() if row is not None and row.tracked]
    blobs = {row.path: "" if row.modified else row.blob or "" for row in tracked}
    allowed = {path for path, row in known.items() if row is not None}
    unknown = [path for path in paths if path not in allowed]
    if unknown:
        sound = [path for path in unknown if excluded_path(path, tracked=True) is None]
        found = discover(job.root, job.limits, look(job.root, job.limits, sound)) if sound else Discovery()
        listed = set(found.paths)
        allowed |= {path for path in unknown if path in listed}
        blobs |= {path: found.blobs[path] for path in unknown if path in found.blobs}
    return blobs, allowed
