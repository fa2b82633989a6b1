"""Measures search on a repository's own history: commit messages ask, the files they changed are the truth.

For each commit the tree of its parent is laid out in a temporary folder and indexed with the commits before it, so
nothing of the answer is known yet. Neighbours: `project.past` reads the history, `engine.project.search` searches.
"""

import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from backstory.engine.project.access import Project
from backstory.engine.project.search import BUDGET, search_in
from backstory.index import project_git, projects
from backstory.index.project_file import language
from backstory.project import git, past
from backstory.project.discover import Look
from backstory.project.guards import excluded_path
from backstory.records.project import SearchResult
from backstory.records.project_eval import EvalReport, Scores
from backstory.retrieve.project.scores import is_code
from backstory.store.project import lease
from backstory.store.project.database import ProjectStore

COMMITS = 100
LOOKED_AT = 4
MOST_TRUTH = 4


def evaluate(
    project: Project,
    *,
    commits: int = COMMITS,
    budget: int = BUDGET,
    progress: Callable[[int, int], None] | None = None,
) -> EvalReport:
    """Figures over the newest `commits` commits that changed one to four code files which their parent holds."""
    looked_at = past.steps(project.root, commits * LOOKED_AT)
    steps = [step for step in looked_at if _unfit(step) is None][-commits:]
    if not steps:
        return EvalReport(str(project.root), warnings=(_nothing(project.root, looked_at),))
    rows: list[tuple[past.PastCommit, Scores]] = []
    with tempfile.TemporaryDirectory(prefix="backstory-eval-") as folder:
        copy = Project(Path(folder).resolve() / "tree", Path(folder) / "index.db", project.limits, project.now)
        copy.root.mkdir()
        with ProjectStore(str(copy.database)) as store:
            before: dict[str, str] = {}
            newest: str | None = None
            for number, step in enumerate(steps, 1):
                before = _lay_out(project.root, copy.root, before, past.tree(project.root, step.parent))
                seen = _tracked(copy.root, before)
                projects.synchronise(copy.job(store), owner=lease.owner(), seen=seen)
                _history(store, project.root, step.parent, newest)
                newest = step.parent
                found = search_in(copy, store, step.message, budget=budget)
                rows.append((step, score(found, step, _truth(step))))
                if progress:
                    progress(number, len(steps))
    return _report(project.root, rows)


def _truth(step: past.PastCommit) -> list[str]:
    """Changed code files that are neither tests nor documents."""
    return sorted(filter(_code, step.hunks))


def _unfit(step: past.PastCommit) -> str | None:
    """Why a commit is no use as a query, or None."""
    files = len(_truth(step))
    if not files:
        return "changing no code that was there before"
    if files > MOST_TRUTH:
        return f"changing more than {MOST_TRUTH} code files"
    return None if step.message else "saying nothing"


def _nothing(root: Path, looked_at: Sequence[past.PastCommit]) -> str:
    """Why no commit of a repository can serve as a query."""
    if looked_at:
        reasons = Counter(_unfit(step) or "" for step in looked_at).most_common()
        told = ", ".join(f"{count} {reason}" for reason, count in reasons)
        return f"no commit can serve as a query: of the newest {len(looked_at)}: {told}"
    head = git.head(root)
    if head is None:
        return "the project is in no Git work tree, and only past commits can serve as queries"
    if head.commit is None:
        return "the repository has no commits yet, and only past commits can serve as queries"
    told = "no commit can serve as a query: none has exactly one parent"
    return f"{told}, and the clone is shallow; git fetch --unshallow gets the rest" if head.shallow else told


def _code(path: str) -> bool:
    return not excluded_path(path, tracked=True) and is_code(path)


def _lay_out(root: Path, target: Path, before: dict[str, str], after: dict[str, str]) -> dict[str, str]:
    """Makes `target` hold the files of `after`, writing only what differs from `before`."""
    after = {path: blob for path, blob in after.items() if not excluded_path(path, tracked=True)}
    for path in before.keys() - after.keys():
        (target / path).unlink(missing_ok=True)
    wanted = {path: blob for path, blob in after.items() if before.get(path) != blob}
    contents = past.blobs(root, sorted(set(wanted.values())))
    for path, blob in sorted(wanted.items()):
        place = target / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.write_bytes(contents.get(blob, b""))
    return after


def _tracked(root: Path, files: dict[str, str]) -> Look:
    """What Git would list of the files laid out below `root`, were that a work tree: paths with their blob ids."""
    records = (f"H 100644 {blob} 0\t{path}\0" for path, blob in sorted(files.items()))
    return Look(git.Head(str(root), None, None), os.fsencode("".join(records)))


def _history(store: ProjectStore, root: Path, parent: str, newest: str | None) -> None:
    """Makes the store know the ancestors of `parent` and no other commits; those of `newest` it knows already."""
    commits, follows = project_git.unknown(root, parent, newest)
    project_git.add_history(store, commits or [], afresh=not follows)


def score(result: SearchResult, step: past.PastCommit, truth: list[str]) -> Scores:
    """The figures of one query."""
    ranked = [file.path for file in result.files]
    places = [ranked.index(path) + 1 for path in truth if path in ranked]
    shown: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for item in result.items:
        shown[item.path].append((item.start_line, item.end_line))
    hunks = [(path, hunk) for path in truth for hunk in step.hunks[path]]
    covered = sum(any(start <= at and end <= stop for start, stop in shown[path]) for path, (at, end) in hunks)
    return Scores(
        queries=1,
        acc1=float(1 in places),
        mrr=1 / min(places) if places else 0.0,
        any5=float(any(place <= 5 for place in places)),
        any10=float(any(place <= 10 for place in places)),
        recall5=sum(place <= 5 for place in places) / len(truth),
        recall10=sum(place <= 10 for place in places) / len(truth),
        card_files=sum(bool(shown[path]) for path in truth) / len(truth),
        card_hunks=covered / len(hunks) if hunks else 1.0,
    )


def _report(root: Path, rows: list[tuple[past.PastCommit, Scores]]) -> EvalReport:
    by_language: dict[str, list[Scores]] = defaultdict(list)
    for step, scores in rows:
        by_language[language(_truth(step)[0]) or "other"].append(scores)
    return EvalReport(
        str(root),
        overall=mean(scores for _, scores in rows),
        in_place=mean(scores for step, scores in rows if not any(map(_code, step.moved))),
        languages={name: mean(scores) for name, scores in sorted(by_language.items())},
    )


def mean(rows: Iterable[Scores]) -> Scores:
    """The mean of each figure over all queries."""
    found = list(rows)
    count = max(1, len(found))
    names = ("acc1", "mrr", "any5", "any10", "recall5", "recall10", "card_files", "card_hunks")
    means = {name: round(sum(getattr(row, name) for row in found) / count, 4) for name in names}
    return Scores(queries=len(found), **means)
