"""One pass over a project: where, with which bounds, under which lease, and one file after the other taken in.

Neighbours: `index.projects` and `index.project_named` choose the files, `index.project_file` parses them,
`store.project.files` stores them.
"""

import os
from collections import Counter
from collections.abc import Callable
from hashlib import sha1, sha256
from pathlib import Path

import msgspec

from backstory.errors import CancelledError
from backstory.index import project_file
from backstory.project.discover import ProjectLimits
from backstory.project.reading import Reader, UnreadableFile
from backstory.store.project import files, lease
from backstory.store.project.database import ProjectStore
from backstory.store.project.lease import Lease
from backstory.store.project.rows import FileRow

LEASE = "index"
SHA256_DIGITS = 64

Progress = Callable[[int, int], None]


class Job(msgspec.Struct):
    """One synchronisation: where, with which bounds, and what it has done so far."""

    store: ProjectStore
    root: Path
    limits: ProjectLimits
    now: Callable[[], int]
    progress: Progress | None = None
    cancelled: Callable[[], bool] | None = None
    lease: Lease | None = None
    counts: Counter[str] = msgspec.field(default_factory=Counter)
    excluded: Counter[str] = msgspec.field(default_factory=Counter)
    warnings: list[str] = msgspec.field(default_factory=list)
    truncated: bool = False


def breathe(job: Job) -> None:
    """Between transactions: stop when asked to, keep the lease."""
    if job.cancelled and job.cancelled():
        raise CancelledError("indexing was stopped; what was indexed so far is kept")
    if job.lease is not None:
        job.lease = lease.renew(job.store, job.lease, job.now())
        if job.lease is None:
            raise CancelledError("another process took over the indexing of this project")


def take_in(job: Job, reader: Reader, path: str, blobs: dict[str, str]) -> str:
    """Reads and stores one file; `indexed`, `excluded`, `unchanged` (same bytes) or `removed`."""
    try:
        data, stat = reader.read(path)
    except UnreadableFile as error:
        outcome = _unread(job, path, str(error))
        job.counts[outcome] += 1
        return outcome
    job.counts["read"] += 1
    tracked = path in blobs
    blob = blob_id(data, next(filter(None, blobs.values()), ""))
    row = FileRow(path, stat.size, stat.mtime, stat.ctime, tracked, blobs.get(path) != blob or not tracked, job.now())
    found, reason = project_file.content(path, data)
    row.reason = reason
    row.blob = blob
    if found is None:
        row.status = "excluded"
        outcome = "excluded"
    else:
        row.hash = sha256(data).hexdigest()
        row.language = project_file.language(path)
        outcome = "indexed"
    files.replace(job.store, row, found)
    job.counts[outcome] += 1
    return outcome


def _unread(job: Job, path: str, reason: str) -> str:
    """A file that cannot be read is forgotten; one that is too large is remembered, not to be asked again."""
    if reason == "oversized":
        try:
            stat = os.lstat(job.root / path)
        except OSError:
            reason = "missing"
        else:
            times = (stat.st_mtime_ns, stat.st_ctime_ns)
            row = FileRow(path, stat.st_size, *times, tracked=False, modified=False, indexed_at=job.now())
            row.status, row.reason = "excluded", reason
            files.replace(job.store, row, None)
            return "excluded"
    if reason != "missing":
        job.excluded[reason] += 1
    return "removed" if files.remove(job.store, [path]) else "skipped"


def blob_id(data: bytes, like: str = "") -> str:
    """The id Git gives a blob of these bytes, in a repository with blobs that are called like this one."""
    named = b"blob %d\0" % len(data) + data
    return (sha256(named) if len(like) == SHA256_DIGITS else sha1(named, usedforsecurity=False)).hexdigest()
