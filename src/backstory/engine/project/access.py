"""A trusted project: where it lies, who trusts it, and how its index is kept.

Trust comes first in every use: of an untrusted project nothing is listed, no Git runs, no stored row is read.
Neighbours: `engine.trust` knows who trusts what, `index.projects` writes the index, `engine.project.search`
asks it.
"""

import time
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from backstory.config.paths import Folder, projects_folder
from backstory.engine.trust import TRUST, trusted_roots
from backstory.errors import BackstoryError, FullDiskError, ReadOnlyDatabaseError, UntrustedProjectError
from backstory.index import project_named, projects
from backstory.index.project_job import Job, Progress
from backstory.project.discover import ProjectLimits
from backstory.project.root import canonical, digest, enclosing
from backstory.records.project import ProjectStatus, SyncReport
from backstory.store import ledger
from backstory.store.folder import size
from backstory.store.project import contents, lease, state
from backstory.store.project import database as project_store
from backstory.store.project.database import ProjectStore

LOOK_AGAIN_SECONDS = 0.1


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


def _always() -> bool:
    return True


class Project(msgspec.Struct, frozen=True):
    """A trusted project: its canonical root, its database, its bounds, and a clock in milliseconds.

    `allowed` says whether it is trusted still.
    """

    root: Path
    database: Path
    limits: ProjectLimits = ProjectLimits()
    now: Callable[[], int] = _milliseconds
    allowed: Callable[[], bool] = _always

    def open(self, *, read_only: bool = False) -> ProjectStore:
        """Its index; made where there is none. One that cannot be written can still be read.

        Raises:
            UntrustedProjectError: trust was taken back meanwhile, and its index deleted: none is left behind.
            DatabaseError: it cannot be used.
        """
        path = str(self.database)
        try:
            store = (project_store.readable if read_only else ProjectStore)(path)
        except (ReadOnlyDatabaseError, FullDiskError):
            if read_only or not self.database.exists():
                raise
            store = project_store.readable(path)
        if self.allowed():
            return store
        store.close()
        project_store.delete(str(self.database))
        raise UntrustedProjectError(str(self.root))

    def job(
        self,
        store: ProjectStore,
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Job:
        """One synchronisation of this project over an open store."""
        return Job(store, self.root, self.limits, self.now, progress, cancelled)


def locate(home: Folder, start: Path, *, exact: bool = False) -> Path:
    """The canonical root of the project at `start` (`exact`) or around it.

    Raises:
        InvalidProjectError: it cannot be a project.
    """
    return canonical(start if exact else enclosing(start, trusted_roots(home)))


def trust(home: Folder, root: Path, *, trusted: bool, now: int | None = None) -> None:
    """Writes a decision about a canonical root into the ledger; a repeated one is not written again."""
    if (str(root) in trusted_roots(home)) == trusted:
        return
    record = {"type": TRUST, "id": uuid.uuid4().hex, "at": _milliseconds() if now is None else now}
    ledger.append(home, record | {"root": str(root), "trusted": trusted})


def database(home: Folder, root: Path) -> Path:
    """Where the index of a root lies."""
    return Path(projects_folder(home), f"{digest(root)}.db")


def delete(home: Folder, root: Path) -> None:
    """Deletes the index of a root; the ledger keeps what was decided about it."""
    project_store.delete(str(database(home, root)))


def opened(home: Folder, root: Path, *, trusted: bool = False) -> Project:
    """A project that may be read: trusted in the ledger, or by whoever calls.

    Raises:
        UntrustedProjectError: neither.
    """
    if not trusted and str(root) not in trusted_roots(home):
        raise UntrustedProjectError(str(root))
    allowed = _always if trusted else lambda: str(root) in trusted_roots(home)
    return Project(root, database(home, root), allowed=allowed)


def synchronise(project: Project, store: ProjectStore, *, patience: float = 0.0) -> SyncReport:
    """Brings an open index up to date before it is asked; where nothing can be written a warning says so.

    While another process is at it, it is waited for up to so many seconds of `patience`.

    Raises:
        ReadOnlyDatabaseError, FullDiskError: and nothing was indexed before.
    """
    until = time.monotonic() + patience
    try:
        report = projects.synchronise(project.job(store), owner=lease.owner())
        while projects.BUSY in report.warnings and time.monotonic() < until:
            time.sleep(LOOK_AGAIN_SECONDS)
            report = projects.synchronise(project.job(store), owner=lease.owner())
    except (ReadOnlyDatabaseError, FullDiskError) as error:
        if state.get(store).revision.indexed_at is None:
            raise
        return SyncReport(warnings=(f"what changed since it was indexed is left out: {error}",))
    return report


def index(
    project: Project,
    *,
    force: bool = False,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> SyncReport:
    """Brings the index up to date; `force` reads every file again."""
    with project.open() as store:
        return projects.synchronise(project.job(store, progress, cancelled), owner=lease.owner(), force=force)


def refresh(project: Project, paths: Sequence[str]) -> dict[str, str]:
    """Looks at named files only, after a tool that may have changed them; paths are relative to the root."""
    with project.open() as store:
        return project_named.refresh(project.job(store), paths, owner=lease.owner())


def status(home: Folder, root: Path, *, trusted: bool = False) -> ProjectStatus:
    """Trust (in the ledger, or by whoever calls), and what the index then holds; reads neither files nor Git."""
    path = database(home, root)
    try:
        project = opened(home, root, trusted=trusted)
        return _status(project) if path.exists() else ProjectStatus(str(root), "trusted")
    except UntrustedProjectError:
        return ProjectStatus(str(root), "untrusted", hosted=path.exists())


def _status(project: Project) -> ProjectStatus:
    with project.open(read_only=True) as store:
        files = contents.counts(store)
        snippets, symbols = contents.sizes(store)
        revision = state.get(store).revision
        return ProjectStatus(
            root=str(project.root),
            trust="trusted",
            indexed=revision.indexed_at is not None,
            files=files.current,
            snippets=snippets,
            symbols=symbols,
            stale=files.stale,
            modified=files.modified,
            excluded=contents.exclusions(store),
            revision=revision,
            database_bytes=size(str(project.database)),
            warnings=(f"{files.stale} files wait to be indexed again",) if files.stale else (),
        )


def unhealthy(home: Folder) -> list[str]:
    """What is wrong with the indexes of trusted projects, a line each; a project without an index is not wrong."""
    found = []
    for root in sorted(trusted_roots(home)):
        if not database(home, Path(root)).exists():
            continue
        try:
            report = status(home, Path(root))
        except BackstoryError as error:
            found.append(f"{root}: {error}")
        else:
            found.extend(f"{root}: {warning}" for warning in report.warnings)
    return found
