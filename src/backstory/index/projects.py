"""Keeps a project's index equal to its files: what changed is read, what is unchanged costs one `lstat`.

A file counts as unchanged while size, mtime and ctime are. When many changed at once, as after a checkout, those
that Git's own index knows to equal an already indexed blob are not read again. HEAD moving is no reason to read. While
Git lists what it listed when all was up to date, the list is not even taken apart.
Whoever calls has checked trust. Neighbours: `project.discover` lists, `index.project_file` parses, `index.project_git`
notes what Git says.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha1, sha256
from pathlib import Path

import msgspec

from backstory.errors import CancelledError
from backstory.index import project_file, project_git
from backstory.index.version import SOURCE
from backstory.project import git
from backstory.project.discover import Discovery, Look, ProjectLimits, discover, look
from backstory.project.guards import excluded_path
from backstory.project.reading import Reader, UnreadableFile
from backstory.records.project import Listed, SyncReport
from backstory.store.project import contents, files, lease, state
from backstory.store.project.database import ProjectStore
from backstory.store.project.lease import Lease
from backstory.store.project.rows import FileRow, KnownFile
from backstory.store.project.state import IndexState

BATCH_FILES = 256
BATCH_BYTES = 8_000_000
# Below this many changed files reading them is cheaper than asking Git for the times in its index.
ASK_GIT_FROM = 8
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


class UnreadFile(msgspec.Struct, gc=False):
    """A file to be read."""

    path: str
    size: int


def synchronise(job: Job, *, owner: str, force: bool = False) -> SyncReport:
    """Brings the whole index up to date. With another process at it already, nothing is done and a warning says so.

    Raises:
        InvalidProjectError: the project's folder is gone; what is indexed stays, as it may come back.
    """
    store = job.store
    with Reader(str(job.root), 0):
        pass
    job.lease = lease.acquire(store, LEASE, owner, job.now())
    if job.lease is None:
        return SyncReport(warnings=("another process is indexing this project",))
    try:
        stored = state.get(store)
        seen = look(job.root, job.limits)
        if not project_git.note_history(store, job.root, seen.head, stored.history_head):
            job.warnings.append("the commit history could not be read")
        force = force or stored.rules != SOURCE
        if force or not _as_it_was(job, seen, stored.listed):
            _bring_up(job, seen, stored, force=force)
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
    unchanged = 0
    for path, size, mtime, ctime, status in files.stats(job.store):
        try:
            stat = lstat(prefix + path)
        except OSError:
            return False
        if stat.st_mtime_ns != mtime or stat.st_size != size or stat.st_ctime_ns != ctime or status == "stale":
            return False
        unchanged += 1
    job.counts["unchanged"] = unchanged
    job.excluded.update(listed.excluded)
    return True


def _bring_up(job: Job, seen: Look, stored: IndexState, *, force: bool) -> None:
    """Compares every listed file with its row, reads those that differ, and notes what Git says of all of them."""
    store = job.store
    known = files.known(store)
    found = discover(job.root, job.limits, seen, known.keys())
    listed = Listed(seen.mark, dict(found.excluded)) if seen.mark and not found.nested else None
    job.excluded.update(found.excluded)
    job.truncated = found.truncated
    pending = _compare(job, found, known, force=force)
    _read_all(job, found, pending)
    busy = any(job.counts[name] for name in ("indexed", "excluded", "removed"))
    rows = files.known(store) if busy else known
    project_git.note_standing(store, job.root, found, rows, stored.revision, busy=busy, now=job.now())
    # A path without a row may turn into a file without Git listing anything else.
    if job.truncated or len(rows) != len(found.paths) or not rows.keys() >= set(found.paths):
        listed = None
    if (listed, SOURCE) != ((now := state.get(store)).listed, now.rules):
        with store.writing("note what Git lists"):
            state.put_listed(store, listed, SOURCE)


def _report(job: Job) -> SyncReport:
    counts = job.counts
    return SyncReport(
        files=contents.counts(job.store).current,
        read=counts["read"],
        indexed=counts["indexed"],
        unchanged=counts["unchanged"],
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
    total = unchanged = 0
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
            row is not None
            and not force
            and row[2:5] == seen
            and row.status != "stale"
            and (size > file_bytes) == (row.reason == "oversized")  # the bound may have been another one
        ):
            unchanged += 1
        else:
            pending.append(UnreadFile(path, size))
            stats[path] = seen
    job.counts["unchanged"] += unchanged
    if gone:
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
    spared = {path for path in same if clean.get(path) == stats[path][:2]}
    with job.store.writing("note touched project files"):
        for path in sorted(spared):
            files.touch(job.store, path, stats[path], tracked=True, modified=bool(known[path].modified))
    job.counts["unchanged"] += len(spared)
    return [item for item in pending if item.path not in spared]


def _read_all(job: Job, found: Discovery, pending: list[UnreadFile]) -> None:
    total = len(pending)
    done = 0
    bulk = total > BATCH_FILES
    if bulk:
        files.bulk(job.store, on=True)
    try:
        with Reader(str(job.root), job.limits.file_bytes) as reader:
            for batch in _batches(pending):
                _breathe(job)
                with job.store.writing("index project files"):
                    for item in batch:
                        _one(job, reader, item.path, found.blobs)
                    if not bulk:
                        files.merge(job.store)
                done += len(batch)
                if job.progress:
                    job.progress(done, total)
    finally:
        if bulk:
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


def _breathe(job: Job) -> None:
    """Between transactions: stop when asked to, keep the lease."""
    if job.cancelled and job.cancelled():
        raise CancelledError("indexing was stopped; what was indexed so far is kept")
    if job.lease is not None:
        job.lease = lease.renew(job.store, job.lease, job.now())
        if job.lease is None:
            raise CancelledError("another process took over the indexing of this project")


def _one(job: Job, reader: Reader, path: str, blobs: dict[str, str]) -> str:
    """Reads and stores one file; `indexed`, `excluded`, `unchanged` (same bytes) or `removed`."""
    try:
        data, stat = reader.read(path)
    except UnreadableFile as error:
        outcome = _unreadable(job, path, str(error))
        job.counts[outcome] += 1
        return outcome
    job.counts["read"] += 1
    tracked = path in blobs
    blob = blob_id(data, next(iter(blobs.values()), ""))
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


def _unreadable(job: Job, path: str, reason: str) -> str:
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
                    outcome[path] = _one(job, reader, path, blobs)
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
        sound = [path for path in unknown if excluded_path(path) is None]
        found = discover(job.root, job.limits, look(job.root, job.limits, sound)) if sound else Discovery()
        listed = set(found.paths)
        allowed |= {path for path in unknown if path in listed}
        blobs |= {path: found.blobs[path] for path in unknown if path in found.blobs}
    return blobs, allowed
