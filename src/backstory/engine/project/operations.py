"""Project commands as use cases: from a request to a trusted project, and from its answers to response records."""

from os.path import expanduser
from pathlib import Path

from backstory.engine.open import Engine
from backstory.engine.project import access as use
from backstory.engine.project import bounds, browse
from backstory.engine.project import evaluate as project_eval
from backstory.engine.project import search as project_search
from backstory.engine.project import watch as project_watch
from backstory.errors import InvalidLimitError
from backstory.records.project import ProjectStatus, SearchResult, SyncReport
from backstory.records.project_eval import EvalReport
from backstory.records.project_requests import (
    ProjectEvalRequest,
    ProjectFiles,
    ProjectFilesRequest,
    ProjectIndexRequest,
    ProjectSearchRequest,
    ProjectShown,
    ProjectShowRequest,
    ProjectStatusRequest,
    ProjectSymbols,
    ProjectSymbolsRequest,
    ProjectTrust,
    ProjectTrustRequest,
    ProjectUntrustRequest,
    ProjectWatched,
    ProjectWatchRequest,
)

MOST_LIMIT, MOST_FILES, MOST_SECONDS = 200, 1_000_000, 31_536_000


def root_of(engine: Engine, given: str | None) -> Path:
    """The canonical root a request means: the given folder itself, or the project around the current one."""
    if given is not None:
        return use.locate(engine.home, Path(expanduser(given)), exact=True)
    return use.locate(engine.home, Path.cwd())


def project_of(engine: Engine, given: str | None, *, trust_once: bool) -> use.Project:
    """The trusted project a request means.

    Raises:
        UntrustedProjectError: nobody trusts it.
    """
    return bounds.opened(engine, root_of(engine, given), trusted=trust_once)


def index(engine: Engine, request: ProjectIndexRequest) -> SyncReport:
    """Synchronises; progress is told in files."""
    project = project_of(engine, request.root, trust_once=request.trust_once)
    return use.index(
        project,
        force=request.force,
        progress=lambda done, total: engine.progress(done, total, done, total),
        cancelled=engine.cancelled,
    )


def search(engine: Engine, request: ProjectSearchRequest) -> SearchResult:
    """Synchronises unless told not to, then searches.

    Raises:
        InvalidLimitError: a limit or budget out of bounds.
    """
    if request.limit is not None and not 1 <= request.limit <= MOST_LIMIT:
        raise InvalidLimitError(f"--limit takes 1 to {MOST_LIMIT}, not {request.limit}")
    _checked(request.budget)
    project = project_of(engine, request.root, trust_once=request.trust_once)
    text = " ".join(request.query)
    return project_search.search(project, text, limit=request.limit, budget=request.budget, fresh=not request.no_sync)


def _checked(budget: int) -> None:
    if budget < 1:
        raise InvalidLimitError("--budget takes a positive number of tokens")


def status(engine: Engine, request: ProjectStatusRequest) -> ProjectStatus:
    """Trust and size; an untrusted project is not touched."""
    return use.status(engine.home, root_of(engine, request.root))


def trust(engine: Engine, request: ProjectTrustRequest) -> ProjectTrust:
    """Records trust in the ledger."""
    root = root_of(engine, request.root)
    use.trust(engine.home, root, trusted=True, now=engine.now())
    return ProjectTrust(str(root), "trusted")


def untrust(engine: Engine, request: ProjectUntrustRequest) -> ProjectTrust:
    """Records the end of trust, then deletes the project's index."""
    root = root_of(engine, request.root)
    use.trust(engine.home, root, trusted=False, now=engine.now())
    use.delete(engine.home, root)
    return ProjectTrust(str(root), "untrusted")


def files(engine: Engine, request: ProjectFilesRequest) -> ProjectFiles:
    """Lists indexed files.

    Raises:
        UntrustedProjectError: nobody trusts the project.
        InvalidLimitError: the limit is out of bounds.
    """
    project = project_of(engine, request.root, trust_once=request.trust_once)
    if not 1 <= request.limit <= MOST_FILES:
        raise InvalidLimitError(f"--limit takes 1 to {MOST_FILES} files, not {request.limit}")
    use.index(project, cancelled=engine.cancelled)
    prefix = request.prefix[0] if request.prefix else ""
    found, more, versioned = browse.files(project, prefix, request.limit)
    return ProjectFiles(str(project.root), tuple(found), more, versioned)


def symbols(engine: Engine, request: ProjectSymbolsRequest) -> ProjectSymbols:
    """Lists declarations of a file or a name."""
    project = project_of(engine, request.root, trust_once=request.trust_once)
    found, near = browse.symbols(project, request.name)
    return ProjectSymbols(str(project.root), tuple(found), near)


def show(engine: Engine, request: ProjectShowRequest) -> ProjectShown:
    """Shows lines of live files."""
    project = project_of(engine, request.root, trust_once=request.trust_once)
    return ProjectShown(str(project.root), tuple(browse.show(project, request.target)))


def evaluate(engine: Engine, request: ProjectEvalRequest) -> EvalReport:
    """Measures search on the repository's own history.

    Raises:
        InvalidLimitError: no commits, or no tokens, are asked for.
    """
    if request.commits < 1:
        raise InvalidLimitError(f"--commits takes a positive number, not {request.commits}")
    _checked(request.budget)
    project = project_of(engine, request.root, trust_once=request.trust_once)
    return project_eval.evaluate(
        project,
        commits=request.commits,
        budget=request.budget,
        progress=lambda done, total: engine.progress(done, total, done, total),
    )


def watch(engine: Engine, request: ProjectWatchRequest) -> ProjectWatched:
    """Keeps the index warm until interrupted, or for some seconds.

    Raises:
        InvalidLimitError: no time, or more than a year, is asked for.
    """
    if request.seconds is not None and not 0 < request.seconds <= MOST_SECONDS:
        raise InvalidLimitError(f"--seconds is above 0 and at most {MOST_SECONDS}, not {request.seconds:g}")
    project = project_of(engine, request.root, trust_once=request.trust_once)
    rounds, refreshed = project_watch.watch(project, seconds=request.seconds, cancelled=engine.cancelled)
    return ProjectWatched(str(project.root), rounds, refreshed)
