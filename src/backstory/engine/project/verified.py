"""A ranking whose files hold what was indexed of them: each is read and hashed, what changed is indexed first.

Neighbours: `retrieve.project.ranking` ranks by what is indexed, `engine.project.search` asks, `engine.project.ranges`
cuts the bytes that were read here.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256

import msgspec

from backstory.engine.project.access import Project
from backstory.errors import BackstoryError, CancelledError
from backstory.index import project_named
from backstory.project.reading import Reader, UnreadableFile
from backstory.retrieve.project.ranking import RankedSource, Ranking, rank
from backstory.store.project import lease
from backstory.store.project.database import ProjectStore
from backstory.store.project.search import FileFact, ProjectSearch

SPARE = 2
ROUNDS = 4


class SourceRequest(msgspec.Struct, frozen=True):
    """One request: how many files it lists, of how many it shows ranges, and whether it may be a vague one."""

    text: str
    listed: int
    most: int
    vague: bool = False

    def of(self, finder: ProjectSearch) -> Ranking:
        """A ranking with a few files to spare for those that drop out."""
        return rank(finder, self.text, self.listed + SPARE, quoted=self.most + SPARE, vague=self.vague)


class Verified(msgspec.Struct, frozen=True):
    """A ranking, by path the bytes of those of its files that are as they were indexed, and warnings."""

    ranking: Ranking
    contents: dict[str, bytes]
    warnings: list[str]


def verified(project: Project, store: ProjectStore, finder: ProjectSearch, asked: SourceRequest) -> Verified:
    """A ranking whose files were read; changed ones are indexed first, and the ranking is made again.

    That may bring up another changed file, so it is done a few times.
    """
    ranking = asked.of(finder)
    read, changed = unchanged(project, facts(ranking.files[: asked.listed]))
    rounds, warnings = ROUNDS, list[str]()
    while changed and rounds:
        written, told = _indexed(project, store, changed)
        warnings += told
        rounds = rounds - 1 if written else 0
        ranking = asked.of(finder)
        read, changed = unchanged(project, facts(ranking.files))
    if changed:
        warnings.append(f"{len(changed)} files keep changing and are left out")
    return Verified(ranking, read, warnings)


def _indexed(project: Project, store: ProjectStore, changed: Sequence[str]) -> tuple[bool, list[str]]:
    """Indexes changed files again, or marks them where another process is at it; whether that was written, warnings."""
    try:
        outcome = project_named.refresh(project.job(store), changed, owner=lease.owner())
    except CancelledError:
        raise
    except BackstoryError as error:
        return False, [f"{len(changed)} changed files could not be indexed again: {error}"]
    if "stale" in outcome.values():
        return True, ["another process is indexing this project; files it has not reached yet are left out"]
    return True, []


def unchanged(project: Project, files: Iterable[FileFact]) -> tuple[dict[str, bytes], list[str]]:
    """The bytes of every file that still hash to what was indexed, which was text, and the paths of the others."""
    same: dict[str, bytes] = {}
    changed: list[str] = []
    with Reader(str(project.root), project.limits.file_bytes) as reader:
        # In order of paths most folders on the way are open already.
        for fact in sorted(files, key=_path):
            try:
                data, _ = reader.read(fact.path)
            except UnreadableFile:
                changed.append(fact.path)
                continue
            if sha256(data).hexdigest() == fact.hash:
                same[fact.path] = data
            else:
                changed.append(fact.path)
    return same, changed


def _path(fact: FileFact) -> str:
    return fact.path


def facts(sources: Iterable[RankedSource]) -> list[FileFact]:
    """What is indexed of ranked files."""
    return [source.fact for source in sources]
