"""Project knowledge for surfaces and for the planner: trust, indexing, search of live source, and what is shown of it.

Trust comes first in every use: of an untrusted project nothing is listed, no Git runs, no stored row is read. Whatever
leaves a search was read and hashed in that very call. Neighbours: `index.projects` writes, `retrieve.project` ranks.
"""

import time
import uuid
from collections.abc import Callable, Iterable, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec

from backstory.errors import BackstoryError, CancelledError, UntrustedProjectError
from backstory.index import projects
from backstory.privacy import classify, secrets
from backstory.project.discover import Limits
from backstory.project.guards import decoded
from backstory.project.reading import Reader, Unreadable
from backstory.project.root import canonical, digest, enclosing
from backstory.records.project import (
    ProjectStatus,
    RankedFile,
    SearchResult,
    SourceEvidence,
    SourceItem,
    SyncReport,
)
from backstory.retrieve.cards import CARDS, Card, Range, cards
from backstory.retrieve.project import Options, RankedSource, Ranking, rank
from backstory.retrieve.source_evidence import source_evidence
from backstory.store import ledger
from backstory.store.project import ProjectStore
from backstory.store.project_search import ProjectSearch
from backstory.text import tokens

TRUST = "project-trust"
LISTED = 12
BUDGET = 20_000
SPARE = 2


def _milliseconds() -> int:
    return time.time_ns() // 1_000_000


class Project(msgspec.Struct, frozen=True):
    """A trusted project: its canonical root, its database, its bounds, and a clock in milliseconds."""

    root: Path
    database: Path
    limits: Limits = Limits()
    now: Callable[[], int] = _milliseconds

    def job(
        self,
        store: ProjectStore,
        progress: projects.Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> projects.Job:
        """One synchronisation of this project over an open store."""
        return projects.Job(store, self.root, self.limits, self.now, progress, cancelled)


def trusted_roots(home: Path) -> set[str]:
    """The canonical roots a person has trusted and not taken back."""
    latest = {str(record.get("root")): bool(record.get("trusted")) for record in ledger.read(home, TRUST)}
    return {root for root, trusted in latest.items() if trusted}


def locate(home: Path, start: Path, *, exact: bool = False) -> Path:
    """The canonical root of the project at `start` (`exact`) or around it.

    Raises:
        InvalidProjectError: it cannot be a project.
    """
    return canonical(start if exact else enclosing(start, trusted_roots(home)))


def trust(home: Path, root: Path, *, trusted: bool, now: int | None = None) -> None:
    """Writes a decision about a canonical root into the ledger; a repeated one is not written again."""
    if (str(root) in trusted_roots(home)) == trusted:
        return
    record = {"type": TRUST, "id": uuid.uuid4().hex, "at": _milliseconds() if now is None else now}
    ledger.append(home, record | {"root": str(root), "trusted": trusted})


def database(home: Path, root: Path) -> Path:
    """Where the index of a root lies."""
    return home / "derived" / "projects" / f"{digest(root)}.db"


def delete(home: Path, root: Path) -> None:
    """Deletes the index of a root; the ledger keeps what was decided about it."""
    path = database(home, root)
    for name in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
        name.unlink(missing_ok=True)


def opened(home: Path, root: Path, *, trusted: bool = False, limits: Limits | None = None) -> Project:
    """A project that may be read: trusted in the ledger, or by whoever calls.

    Raises:
        UntrustedProjectError: neither.
    """
    if not trusted and str(root) not in trusted_roots(home):
        raise UntrustedProjectError(str(root))
    return Project(root, database(home, root), limits or Limits())


def index(
    project: Project,
    *,
    force: bool = False,
    progress: projects.Progress | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> SyncReport:
    """Brings the index up to date; `force` reads every file again."""
    with ProjectStore(str(project.database)) as store:
        return projects.synchronise(project.job(store, progress, cancelled), owner=uuid.uuid4().hex, force=force)


def refresh(project: Project, paths: Sequence[str]) -> dict[str, str]:
    """Looks at named files only, after a tool that may have changed them; paths are relative to the root."""
    with ProjectStore(str(project.database)) as store:
        return projects.refresh(project.job(store), paths, owner=uuid.uuid4().hex)


def status(home: Path, root: Path) -> ProjectStatus:
    """Trust, and for a trusted project what the index holds; reads neither files nor Git."""
    if str(root) not in trusted_roots(home):
        return ProjectStatus(str(root), "untrusted")
    path = database(home, root)
    if not path.exists():
        return ProjectStatus(str(root), "trusted")
    with ProjectStore(str(path), read_only=True) as store:
        current, stale, _, modified = store.counts()
        snippets, symbols = store.sizes()
        revision = store.state().revision
        return ProjectStatus(
            root=str(root),
            trust="trusted",
            indexed=revision.indexed_at is not None,
            files=current,
            snippets=snippets,
            symbols=symbols,
            stale=stale,
            modified=modified,
            excluded=store.exclusions(),
            revision=revision,
            database_bytes=path.stat().st_size,
            warnings=(f"{stale} files wait to be indexed again",) if stale else (),
        )


def unhealthy(home: Path) -> list[str]:
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


def search(
    project: Project,
    text: str,
    *,
    limit: int | None = None,
    budget: int = BUDGET,
    fresh: bool = True,
    options: Options | None = None,
) -> SearchResult:
    """The best ranges for a request, every file verified as it is now.

    `limit` bounds files and cards (default 8 cards of 12 listed files), `budget` the tokens of all ranges together.
    `fresh` synchronises first; without it only an empty index is filled.
    """
    with ProjectStore(str(project.database)) as store:
        return search_in(project, store, text, limit=limit, budget=budget, fresh=fresh, options=options)


def search_in(
    project: Project,
    store: ProjectStore,
    text: str,
    *,
    limit: int | None = None,
    budget: int = BUDGET,
    fresh: bool = False,
    options: Options | None = None,
) -> SearchResult:
    """`search` over a store that is open already."""
    warnings: list[str] = []
    if fresh or store.state().revision.indexed_at is None:
        report = projects.synchronise(project.job(store), owner=uuid.uuid4().hex)
        warnings.extend(report.warnings)
        if report.truncated:
            warnings.append("the project is larger than its bounds; not every file is indexed")
    listed, most = (LISTED, CARDS) if limit is None else (limit, limit)
    finder = ProjectSearch(store)
    ranking, live = _verified(project, store, finder, text, listed, options, warnings)
    files = [source for source in ranking.files if source.fact.path in live][:listed]
    items: list[SourceItem] = []
    for card in cards(files, budget, most):
        items.extend(_items(card, live[card.source.fact.path]))
    return SearchResult(
        status=ranking.status,
        items=tuple(items),
        files=tuple(RankedFile(source.fact.path, source.reason, source.score) for source in files),
        revision=store.state().revision,
        warnings=tuple(dict.fromkeys(warnings)),
    )


def _verified(
    project: Project,
    store: ProjectStore,
    finder: ProjectSearch,
    text: str,
    listed: int,
    options: Options | None,
    warnings: list[str],
) -> tuple[Ranking, dict[str, str]]:
    """A ranking and the texts of its files; changed ones are indexed first, and the ranking is made again."""
    ranking = rank(finder, text, listed + SPARE, options)
    live, changed = _live(project, ranking.files)
    if changed:
        try:
            outcome = projects.refresh(project.job(store), changed, owner=uuid.uuid4().hex)
        except CancelledError:
            raise
        except BackstoryError as error:
            outcome = {}
            warnings.append(f"{len(changed)} changed files could not be indexed again: {error}")
        if "stale" in outcome.values():
            warnings.append("another process is indexing this project; files it has not reached yet are left out")
        ranking = rank(finder, text, listed + SPARE, options)
        live, dropped = _live(project, ranking.files)
        if dropped:
            warnings.append(f"{len(dropped)} files keep changing and are left out")
    return ranking, live


def _live(project: Project, sources: Iterable[RankedSource]) -> tuple[dict[str, str], list[str]]:
    """The text of every source whose bytes still hash to what was indexed, and the paths of the others."""
    texts: dict[str, str] = {}
    changed: list[str] = []
    with Reader(str(project.root), project.limits.file_bytes) as reader:
        for source in sources:
            path = source.fact.path
            try:
                data, _ = reader.read(path)
            except Unreadable:
                changed.append(path)
                continue
            text = decoded(data)[0] if sha256(data).hexdigest() == source.fact.hash else None
            if text is None:
                changed.append(path)
            else:
                texts[path] = text
    return texts, changed


def _items(card: Card, text: str) -> list[SourceItem]:
    lines = text.split("\n")
    source = card.source
    claimed = level(text)
    return [
        SourceItem(
            path=source.fact.path,
            start_line=part.start,
            end_line=part.end,
            symbol=source.chunks[part.chunk].symbol,
            kind=source.chunks[part.chunk].kind,
            sha256=source.fact.hash,
            tokens=tokens.count(shown := _cut(lines, part)),
            reason=source.reason,
            text=shown,
            modified=source.fact.modified,
            level=claimed,
            score=round(source.scores[part.chunk], 6),
        )
        for part in card.ranges
    ]


def _cut(lines: Sequence[str], part: Range) -> str:
    return "\n".join(lines[part.start - 1 : part.end])


def level(text: str) -> str:
    """The highest privacy level that markers anywhere in a file claim."""
    if not classify.marked(text):
        return "normal"
    reading = classify.read(text)
    return classify.highest((reading.floor, reading.level))


def evidence(
    project: Project, text: str, *, budget: int = BUDGET, limit: int = CARDS, fresh: bool = False
) -> tuple[tuple[SourceEvidence, ...], SearchResult]:
    """Quoted records for one model call, and the search they come from. Any failure is local: no records, a warning.

    Raises:
        CancelledError: the caller stopped the work.
    """
    try:
        found = search(project, text, limit=limit, budget=budget, fresh=fresh)
    except CancelledError:
        raise
    except (BackstoryError, OSError) as error:
        return (), SearchResult("failed", warnings=(str(error),))
    head = found.revision.head
    return tuple(source_evidence(item, head) for item in found.items if not secrets.redact(item.text)[1]), found
