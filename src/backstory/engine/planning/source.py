"""Gathers the ranges of a project's files that may be added to a call. Loaded only for calls that name a project."""

from os.path import expanduser
from pathlib import Path

from backstory.engine.open import Engine
from backstory.engine.planning.call import Ranges
from backstory.engine.project import access, bounds, search
from backstory.records.manifest import ProjectRevision, SnippetRef
from backstory.records.plan import Supplement
from backstory.records.project import Revision, SourceEvidence


def ranges(engine: Engine, root: str, text: str, room: int, *, trusted: bool = False, fresh: bool = False) -> Ranges:
    """Ranges of a trusted project for a request, within `room` tokens.

    What a host calls `trusted` is read without asking what a person decided here. `fresh` looks for new and changed
    files first, unless that was done a moment ago.

    Raises:
        ProjectError: the root is no project, or nobody trusts it.
    """
    opened = bounds.opened(engine, access.locate(engine.home, Path(expanduser(root)), exact=True), trusted=trusted)
    fresh = fresh and engine.open_project.due(str(opened.root), engine.clock())
    found, result = search.evidence(opened, text, budget=room, fresh=fresh, kept=engine.open_project)
    made = tuple(
        Supplement(one.id, "project", one.text, one.tokens, (one.path,), one.score, one.level, one.why) for one in found
    )
    return Ranges(str(opened.root), made, tuple(map(_named, found)), _known(result.revision), result.warnings)


def _named(one: SourceEvidence) -> SnippetRef:
    place = one.path, one.sha256, one.start_line, one.end_line
    return SnippetRef(one.id, *place, one.score, one.modified, one.commit, one.symbol)


def _known(revision: Revision) -> ProjectRevision | None:
    """The revision without what is changed in it; None of a project that was never looked at."""
    if revision.indexed_at is None:
        return None
    return ProjectRevision(
        revision.indexed_at,
        revision.git_root,
        revision.branch,
        revision.head,
        revision.dirty,
        len(revision.changed),
    )
