"""Searches a trusted project, for people and for the planner: the best ranges of its live files within a budget.

Whatever leaves a search was read and hashed in that very call. Neighbours: `engine.project.access` says what may be
read, `engine.project.verified` ranks and reads, `retrieve.project.cards` chooses ranges, `engine.project.ranges` cuts
them; `engine.project.browse` shows what is asked for by name.
"""

from collections.abc import Mapping

import msgspec

from backstory.engine.project import hints
from backstory.engine.project.access import Project, synchronise
from backstory.engine.project.ranges import shown
from backstory.engine.project.verified import SourceRequest, facts, unchanged, verified
from backstory.engine.state.open_project import OpenProject, ProjectAnswer
from backstory.errors import BackstoryError, CancelledError
from backstory.privacy import secrets
from backstory.records.project import RankedFile, SearchResult, SourceEvidence
from backstory.retrieve.project.cards import CARDS, cards
from backstory.retrieve.project.evidence import source_evidence
from backstory.retrieve.project.ranking import Ranking
from backstory.store.project import state
from backstory.store.project.database import ProjectStore
from backstory.store.project.search import ProjectSearch

LISTED = 12
BUDGET = 20_000
# People, and programs that ask once, would rather wait for another's look at the project than get half an answer.
PATIENCE_SECONDS = 10.0


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
        asked = _asked(text, limit)
        found, _ = _searched(project, store, asked, budget=budget, fresh=fresh, patience=PATIENCE_SECONDS)
        told = _hints(store, found, text, fresh=fresh)
        return msgspec.structs.replace(found, warnings=(*found.warnings, *told)) if told else found


def _hints(store: ProjectStore, found: SearchResult, text: str, *, fresh: bool) -> list[str]:
    if found.status == "no-query":
        return hints.alike(store, text)
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
    return _searched(project, store, _asked(text, limit), budget=budget, fresh=fresh)[0]


def _asked(text: str, limit: int | None) -> SourceRequest:
    listed, most = (LISTED, CARDS) if limit is None else (limit, limit)
    return SourceRequest(text, listed, most, vague=True)


def _searched(
    project: Project, store: ProjectStore, asked: SourceRequest, *, budget: int, fresh: bool, patience: float = 0.0
) -> tuple[SearchResult, Ranking]:
    """A search, and the ranking that it shows."""
    warnings: list[str] = []
    left_out: Mapping[str, int] = {}
    revision = state.get(store).revision
    if fresh or revision.indexed_at is None:
        warnings, left_out = _synchronised(project, store, patience)
        revision = state.get(store).revision
    finder = ProjectSearch(store)
    sound = verified(project, store, finder, asked)
    ranking = sound.ranking
    warnings += sound.warnings
    if ranking.status == "empty" and left_out:
        warnings.append("left out: " + ", ".join(f"{count} {reason}" for reason, count in left_out.items()))
    files = [source for source in ranking.files if source.fact.path in sound.contents][: asked.listed]
    chosen = cards(files, budget, asked.most)
    if files and asked.most and not chosen:
        warnings.append(f"no lines of these files fit into {budget:,} tokens")
    found = SearchResult(
        status=ranking.status,
        items=tuple(shown(store, chosen, asked.text, sound.contents)),
        files=tuple(RankedFile(source.fact.path, source.reason, source.score) for source in files),
        revision=revision,
        warnings=tuple(dict.fromkeys(warnings)),
    )
    return found, ranking


def _synchronised(project: Project, store: ProjectStore, patience: float) -> tuple[list[str], Mapping[str, int]]:
    """Brings the index up to date; warnings, and how many files are left out, by reason."""
    report = synchronise(project, store, patience=patience)
    larger = ["the project is larger than its bounds; not every file is indexed"] if report.truncated else []
    return [*report.warnings, *larger], report.excluded


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


def _answer(project: Project, kept: OpenProject, text: str, *, budget: int, limit: int, fresh: bool) -> ProjectAnswer:
    """The answer to a request, the one before if the index and all of its files are what they were."""
    store = kept.store(str(project.database), project.open)
    known = None if fresh else kept.answer((project.root, text, budget, limit, store.version()))
    if known is not None and not unchanged(project, known.files)[1]:
        return known
    # Beside a call no source is better than some: "continue" asks for none.
    found, ranking = _searched(project, store, SourceRequest(text, limit, limit), budget=budget, fresh=fresh)
    head = found.revision.head
    why = {source.fact.path: source.why for source in ranking.files}
    quoted = tuple(
        source_evidence(item, head, why[item.path]()) for item in found.items if not secrets.redact(item.text)[1]
    )
    made = ProjectAnswer(facts(ranking.files[:limit]), quoted, found)
    if not found.warnings:
        kept.put((project.root, text, budget, limit, store.version()), made)
    return made
