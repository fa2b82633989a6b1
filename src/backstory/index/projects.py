"""Keeps a project's index equal to its files: what changed is read, what is unchanged costs one `lstat`.

A file counts as unchanged while size, mtime and ctime are. When many changed at once, as after a checkout, those
that Git's own index knows to equal an already indexed blob are not read again. HEAD moving is no reason to read. While
Git lists what it listed when all was up to date, the list is not even taken apart.
Whoever calls has checked trust. Neighbours: `project.discover` lists, `index.project_job` takes in what is read,
`index.project_git` notes what Git says, `index.project_named` looks at named files alone.
"""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import msgspec

from backstory.index import project_git
from backstory.index.project_job import LEASE, Job, breathe, take_in
from backstory.index.version import SOURCE
from backstory.project import git
from backstory.project.discover import Discovery, Look, discover, look
from backstory.project.reading import Reader, require
from backstory.records.project import Listed, SyncReport
from backstory.store.project import contents, files, lease, state
from backstory.store.project.rows import KnownFile
from backstory.store.project.state import IndexState

BATCH_FILES = 256
BATCH_BYTES = 8_000_000
# Below this many changed files reading them is cheaper than asking Git for the times in its index.
ASK_GIT_FROM = 8
BUSY = "another process is indexing this project"


class UnreadFile(msgspec.Struct, gc=False):
    """A file to be read."""

    path: str
    size: int


def synchronise(job: Job, *, owner: str, force: bool = False, seen: Look | None = None) -> SyncReport:
    """Brings the whole index up to date. With another process at it already, nothing is done and a warning says so.

    `seen` is what Git says of the project, where that is known without asking.

    Raises:
        InvalidProjectError: the project's folder is gone; what is indexed stays, as it may come back.
    """
    store = job.store
    require(job.root)
    job.lease = lease.acquire(store, LEASE, owner, job.now())
    if job.lease is None:
        return SyncReport(warnings=(BUSY,))
    try:
        stored = state.get(store)
        seen = seen or look(job.root, job.limits)
        past = project_git.note_history(store, job.root, seen.head, stored.history_head)
        if past != stored.history_head and project_git.unread(past):
            job.warnings.append("the commit history could not be read")
        force = force or stored.rules != SOURCE
        if force or not _as_it_was(job, seen, stored.listed):
            _bring_up(job, seen, msgspec.structs.replace(stored, history_head=past), force=force)
    finally:
        if job.lease is not None:
            lease.release(store, job.lease)
    return _report(job)


def _as_it_was(job: Job, seen: Look, listed: Listed | None) -> bool:
    """Whether Git lists just what is indexed, and each of these files has the size and times it had."""
    if listed is None or seen.mark != listed.mark:
        return False
    prefix = str(job.root) + "/"
    lstat = os.lstat
    for path, size, mtime, ctime, status in files.stats(job.store):
        try:
            stat = lstat(prefix + path)
        except OSError:
            return False
        if stat.st_mtime_ns != mtime or stat.st_size != size or stat.st_ctime_ns != ctime or status == "stale":
            return False
    job.excluded.update(listed.excluded)
    return True


def _bring_up(job: Job, seen: Look, stored: IndexState, *, force: bool) -> None:
    """Compares every listed file with its row, reads those that differ, and notes what Git says of all of them."""
    store = job.store
    known = files.known(store)
    found = discover(job.root, job.limits, seen, frozenset() if force else known.keys())
    listed = Listed(seen.mark, dict(found.excluded)) if seen.mark and not found.nested else None
    job.excluded.update(found.excluded)
    job.truncated = found.truncated
    pending = _compare(job, found, known, force=force)
    _read_all(job, found, pending)
    busy = any(job.counts[name] for name in ("indexed", "excluded", "removed"))
    rows = files.known(store) if busy else known
    project_git.note_standing(job, found, rows, stored, busy=busy)
    # A path without a row may turn into a file without Git listing anything else.
    if job.truncated or len(rows) != len(found.paths) or not rows.keys() >= set(found.paths):
        listed = None
    if (listed, SOURCE) != ((now := state.get(store)).listed, now.rules):
        with store.writing("note what Git lists"):
            state.put_listed(store, listed, SOURCE)


def _report(job: Job) -> SyncReport:
    counts = job.counts
    current = contents.counts(job.store).current
    return SyncReport(
        files=current,
        read=counts["read"],
        indexed=counts["indexed"],
        unchanged=max(0, current - counts["indexed"]),
        removed=counts["removed"],
        excluded=dict(sorted((job.excluded + Counter(contents.exclusions(job.store))).items())),
        truncated=job.truncated,
        warnings=tuple(job.warnings),
    )


def _compare(job: Job, found: Discovery, known: dict[str, KnownFile], *, force: bool) -> list[UnreadFile]:
    """Removes what is gone, and gives what must be read."""
    pending: list[UnreadFile] = []
    stats: dict[str, tuple[int, int, int]] = {}
    prefix = str(job.root) + "/"
    lstat = os.lstat
    file_bytes, total_bytes = job.limits.file_bytes, job.limits.total_bytes
    total = 0
    gone = dict.fromkeys(known)
    for path in found.paths:
        try:
            stat = lstat(prefix + path)
        except (OSError, ValueError):
            continue
        size = stat.st_size
        if size <= file_bytes:
            total += size
            if total > total_bytes:
                job.truncated = True
                break
        seen = (size, stat.st_mtime_ns, stat.st_ctime_ns)
        gone.pop(path, None)
        row = known.get(path)
        # Fields 2 to 4 are size and times; by name they would double the cost of this loop, which every look runs.
        if (
            row is None
            or force
            or row[2:5] != seen
            or row.status == "stale"
            or (size > file_bytes) != (row.reason == "oversized")  # the bound may have been another one
        ):
            pending.append(UnreadFile(path, size))
            stats[path] = seen
    if gone:
        require(job.root)
        with job.store.writing("remove project files"):
            job.counts["removed"] += files.remove(job.store, sorted(gone))
    return pending if force else _unread(job, found, known, pending, stats)


def _unread(
    job: Job,
    found: Discovery,
    known: dict[str, KnownFile],
    pending: list[UnreadFile],
    stats: dict[str, tuple[int, int, int]],
) -> list[UnreadFile]:
    """Leaves out files that Git knows to hold the blob that is already indexed."""
    same = [
        item.path
        for item in pending
        if (row := known.get(item.path))
        and row.status == "current"
        and item.size <= job.limits.file_bytes
        and row.blob
        and row.blob == found.blobs.get(item.path)
    ]
    if len(same) < ASK_GIT_FROM:
        return pending
    clean = git.clean_stats(job.root)
    spared = {path for path in same if path in clean and clean[path][:2] == stats[path][:2]}
    with job.store.writing("note touched project files"):
        for path in sorted(spared):
            files.touch(job.store, path, stats[path], tracked=True, modified=bool(known[path].modified))
    return [item for item in pending if item.path not in spared]


def _read_all(job: Job, found: Discovery, pending: list[UnreadFile]) -> None:
    total = len(pending)
    done = 0
    with _filling(job, bulk=total > BATCH_FILES) as merging, Reader(str(job.root), job.limits.file_bytes) as reader:
        for batch in _batches(pending):
            breathe(job)
            with job.store.writing("index project files"):
                for item in batch:
                    take_in(job, reader, item.path, found.blobs)
                if merging:
                    files.merge(job.store)
            done += len(batch)
            if job.progress:
                job.progress(done, total)


@contextmanager
def _filling(job: Job, *, bulk: bool) -> Iterator[bool]:
    """Sets the index up for few files or for many; gives whether each batch is to be merged by itself."""
    if not bulk:
        yield True
        return
    files.bulk(job.store, on=True)
    try:
        yield False
    finally:
        files.bulk(job.store, on=False)


def _batches(pending: Sequence[UnreadFile]) -> Iterator[list[UnreadFile]]:
    batch: list[UnreadFile] = []
    size = 0
    for item in pending:
        batch.append(item)
        size += item.size
        if len(batch) == BATCH_FILES or size > BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
