"""Searches a trusted project, for people and for the planner: the best ranges of its live files within a budget.

Whatever leaves a search was read and hashed in that very call. Neighbours: `engine.project.access` says what may be
read, `retrieve.project.ranking` ranks, `engine.project.live` shows what is asked for by name.
"""

from codecs import BOM_UTF8
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256

import msgspec

from backstory.engine.project import hints
from backstory.engine.project.access import Project
from backstory.engine.state.open_project import Answer, OpenProject
from backstory.errors import BackstoryError, CancelledError
from backstory.index import projects
from backstory.privacy import classify, secrets
from backstory.project.reading import Reader, Unreadable
from backstory.records.project import Chunk, RankedFile, SearchResult, SourceEvidence, SourceItem, Symbol
from backstory.retrieve.project.cards import CARDS, Card, Range, cards
from backstory.retrieve.project.declared import spoken, told
from backstory.retrieve.project.evidence import source_evidence
from backstory.retrieve.project.ranking import RankedSource, Ranking, rank
from backstory.retrieve.task import describe
from backstory.store import project_lease
from backstory.store.project import ProjectStore
from backstory.store.project_search import FileFact, ProjectSearch
from backstory.text import tokens

# The name and the kind of a declaration.
Called = tuple[str | None, str | None]
FILE, HEADING = "file", "heading"
LISTED = 12
BUDGET = 20_000
SPARE = 2
ROUNDS = 4


class Asked(msgspec.Struct, frozen=True):
    """One request: how many files it lists, and of how many it shows ranges."""

    text: str
    listed: int
    most: int

    def of(self, finder: ProjectSearch) -> Ranking:
        """A ranking with a few files to spare for those that drop out."""
        return rank(finder, self.text, self.listed + SPARE, quoted=self.most + SPARE)


def search(
    project: Project,
    text: str,
    *,
    limit: int | None = None,
    budget: int = BUDGET,
    fresh: bool = True,
) -> SearchResult:
    """The best ranges for a request, every file verified as it is now.

    `limit` bounds files and cards (default 8 cards of 12 listed files), `budget` the tokens of all ranges together.
    `fresh` synchronises first; without it only an empty index is filled. Of nothing found, warnings say what helps.
    """
    with project.open() as store:
        found = search_in(project, store, text, limit=limit, budget=budget, fresh=fresh)
        told = _hints(store, found, text, fresh=fresh)
        return msgspec.structs.replace(found, warnings=(*found.warnings, *told)) if told else found


def _hints(store: ProjectStore, found: SearchResult, text: str, *, fresh: bool) -> list[str]:
    if found.status == "no-query":
        return hints.alike(ProjectSearch(store), text)
    nothing = found.status == "ranked" and not (found.files or found.warnings)
    return hints.nothing(store, text, fresh=fresh) if nothing else []


def search_in(
    project: Project,
    store: ProjectStore,
    text: str,
    *,
    limit: int | None = None,
    budget: int = BUDGET,
    fresh: bool = False,
) -> SearchResult:
    """`search` over a store that is open already."""
    return _searched(project, store, text, limit=limit, budget=budget, fresh=fresh)[0]


def _searched(
    project: Project,
    store: ProjectStore,
    text: str,
    *,
    limit: int | None,
    budget: int,
    fresh: bool,
) -> tuple[SearchResult, Ranking]:
    """A search, and the ranking that it shows."""
    warnings: list[str] = []
    left_out: Mapping[str, int] = {}
    revision = store.state().revision
    if fresh or revision.indexed_at is None:
        report = projects.synchronise(project.job(store), owner=project_lease.owner())
        warnings.extend(report.warnings)
        left_out = report.excluded
        if report.truncated:
            warnings.append("the project is larger than its bounds; not every file is indexed")
        revision = store.state().revision
    listed, most = (LISTED, CARDS) if limit is None else (limit, limit)
    finder = ProjectSearch(store)
    ranking, unchanged, told = _verified(project, store, finder, Asked(text, listed, most))
    warnings += told
    if ranking.status == "empty" and left_out:
        warnings.append("left out: " + ", ".join(f"{count} {reason}" for reason, count in left_out.items()))
    files = [source for source in ranking.files if source.fact.path in unchanged][:listed]
    items: list[SourceItem] = []
    chosen = cards(files, budget, most)
    if files and most and not chosen:
        warnings.append(f"no lines of these files fit into {budget:,} tokens")
    for card, called in zip(chosen, _called(finder, chosen, text), strict=True):
        items.extend(_items(card, unchanged[card.source.fact.path], called))
    found = SearchResult(
        status=ranking.status,
        items=tuple(items),
        files=tuple(RankedFile(source.fact.path, source.reason, source.score) for source in files),
        revision=revision,
        warnings=tuple(dict.fromkeys(warnings)),
    )
    return found, ranking


def _verified(
    project: Project,
    store: ProjectStore,
    finder: ProjectSearch,
    asked: Asked,
) -> tuple[Ranking, dict[str, bytes], list[str]]:
    """A ranking, the bytes of its files and warnings; changed ones are indexed first, and the ranking is made again.

    That may bring up another changed file, so it is done a few times.
    """
    ranking = asked.of(finder)
    unchanged, changed = _unchanged(project, _facts(ranking.files[: asked.listed]))
    rounds, warnings = ROUNDS, list[str]()
    while changed and rounds:
        written, told = _indexed(project, store, changed)
        warnings += told
        rounds = rounds - 1 if written else 0
        ranking = asked.of(finder)
        unchanged, changed = _unchanged(project, _facts(ranking.files))
    if changed:
        warnings.append(f"{len(changed)} files keep changing and are left out")
    return ranking, unchanged, warnings


def _indexed(project: Project, store: ProjectStore, changed: Sequence[str]) -> tuple[bool, list[str]]:
    """Indexes changed files again, or marks them where another process is at it; whether that was written, warnings."""
    try:
        outcome = projects.refresh(project.job(store), changed, owner=project_lease.owner())
    except CancelledError:
        raise
    except BackstoryError as error:
        return False, [f"{len(changed)} changed files could not be indexed again: {error}"]
    if "stale" in outcome.values():
        return True, ["another process is indexing this project; files it has not reached yet are left out"]
    return True, []


def _unchanged(project: Project, facts: Iterable[FileFact]) -> tuple[dict[str, bytes], list[str]]:
    """The bytes of every file that still hash to what was indexed, which was text, and the paths of the others."""
    same: dict[str, bytes] = {}
    changed: list[str] = []
    with Reader(str(project.root), project.limits.file_bytes) as reader:
        # In order of paths most folders on the way are open already.
        for fact in sorted(facts, key=_path):
            try:
                data, _ = reader.read(fact.path)
            except Unreadable:
                changed.append(fact.path)
                continue
            if sha256(data).hexdigest() == fact.hash:
                same[fact.path] = data
            else:
                changed.append(fact.path)
    return same, changed


def _path(fact: FileFact) -> str:
    return fact.path


def _facts(sources: Iterable[RankedSource]) -> list[FileFact]:
    return [source.fact for source in sources]


def _called(finder: ProjectSearch, chosen: Sequence[Card], text: str) -> list[list[Called]]:
    """How each range of each card is called: by what the request is about, else by what it holds.

    Of a whole file that is its only outermost declaration, or what it is headed by; else it is called a file.
    """
    places, whole = list[tuple[int, int, int]](), list[tuple[int, int, int]]()
    for card in chosen:
        for part in card.ranges:
            chunk = card.source.chunks[part.chunk]
            named = bool(card.source.lines) and any(part.start <= line <= part.end for line in card.source.lines)
            first, last = (part.start, part.end) if named else (chunk.start, chunk.end)
            places.append((card.source.fact.id, first, last))
            whole += [(card.source.fact.id, part.start, part.end)] if _whole(card, part) else []
    words, found = spoken(describe(text)), finder.declared([*places, *whole])
    declared, all_ = iter(found[: len(places)]), iter(found[len(places) :])
    called = []
    for card in chosen:
        names = list[Called]()
        for part in card.ranges:
            about = told(next(declared), card.source.lines, words)
            chunk = card.source.chunks[part.chunk]
            names.append(_name(about, chunk, next(all_) if _whole(card, part) else None))
        called.append(names)
    return called


def _whole(card: Card, part: Range) -> bool:
    chunks = card.source.chunks
    return part.start <= chunks[0].start and part.end >= chunks[-1].end


def _name(about: Symbol | None, chunk: Chunk, declared: Sequence[Symbol] | None) -> Called:
    """The name of a range of a chunk, which the request is `about`; a whole file is told what is declared in it."""
    if about is None and declared:
        outermost = [symbol for symbol in declared if symbol.parent is None]
        only = len(outermost) == 1 or declared[0].kind == HEADING
        about = outermost[0] if only else None
    if about is not None:
        return about.qualified, about.kind
    return (None, FILE) if declared is not None else (chunk.symbol, chunk.kind)


def _items(card: Card, data: bytes, called: Sequence[Called]) -> list[SourceItem]:
    data = data.removeprefix(BOM_UTF8)
    source = card.source
    known = bool(card.ranges[-1].stop)
    # Nothing in a file whose bytes can be cut is a marker or a credential. Every marker holds these two, few others do.
    claimed = classify.level(data.decode("utf-8", "replace") if not known and b"4:" in data else "")
    lines = [] if known else data.split(b"\n", card.ranges[-1].end)
    return [
        SourceItem(
            path=source.fact.path,
            start_line=part.start,
            end_line=part.end,
            symbol=symbol,
            kind=kind,
            sha256=source.fact.hash,
            tokens=tokens.count(shown := _text(data[part.begin : part.stop]) if known else _cut(lines, part)),
            reason=source.reason,
            text=shown,
            modified=source.fact.modified,
            level=claimed,
            score=round(source.scores[part.chunk], 6),
            lines=tuple(sorted({line for line in source.lines if part.start <= line <= part.end})),
        )
        for part, (symbol, kind) in zip(card.ranges, called, strict=True)
    ]


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _cut(lines: Sequence[bytes], part: Range) -> str:
    shown = _text(b"\n".join(lines[part.start - 1 : part.end]))
    # Of all credentials only a password in an address lets a file stay in the index.
    return secrets.redact(shown)[0] if "://" in shown and "@" in shown else shown


def evidence(
    project: Project,
    text: str,
    *,
    budget: int = BUDGET,
    limit: int = CARDS,
    fresh: bool = False,
    kept: OpenProject | None = None,
) -> tuple[tuple[SourceEvidence, ...], SearchResult]:
    """Quoted records for one model call, and the search they come from. Any failure is local: no records, a warning.

    What is `kept` of the call before is used where it holds.

    Raises:
        CancelledError: the caller stopped the work.
    """
    own = OpenProject() if kept is None else kept
    try:
        answer = _answer(project, own, text, budget=budget, limit=limit, fresh=fresh)
    except CancelledError:
        raise
    except (BackstoryError, OSError) as error:
        own.close()
        return (), SearchResult("failed", warnings=(str(error),))
    finally:
        if kept is None:
            own.close()
    return answer.evidence, answer.found


def _answer(project: Project, kept: OpenProject, text: str, *, budget: int, limit: int, fresh: bool) -> Answer:
    """The answer to a request, the one before if the index and all of its files are what they were."""
    store = kept.store(str(project.database), project.open)
    known = None if fresh else kept.answer((project.root, text, budget, limit, store.version()))
    if known is not None and not _unchanged(project, known.files)[1]:
        return known
    found, ranking = _searched(project, store, text, limit=limit, budget=budget, fresh=fresh)
    head = found.revision.head
    why = {source.fact.path: source.why for source in ranking.files}
    quoted = tuple(
        source_evidence(item, head, why[item.path]()) for item in found.items if not secrets.redact(item.text)[1]
    )
    made = Answer(_facts(ranking.files[:limit]), quoted, found)
    if not found.warnings:
        kept.put((project.root, text, budget, limit, store.version()), made)
    return made
