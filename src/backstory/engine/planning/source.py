"""Gathers the ranges of a project's files that may be added to a call. Loaded only for calls that name a project."""

from pathlib import Path

from backstory.engine.open import Engine
from backstory.engine.project import access, search
from backstory.records.base import Record
from backstory.records.plan import Supplement
from backstory.records.project import SourceEvidence


class Ranges(Record, frozen=True):
    """Ranges of source as supplements and as they were found, the root they are from, and warnings."""

    root: str
    supplements: tuple[Supplement, ...]
    evidence: tuple[SourceEvidence, ...]
    warnings: tuple[str, ...]


def ranges(engine: Engine, root: str, text: str, room: int, *, trusted: bool = False, fresh: bool = False) -> Ranges:
    """Ranges of a trusted project for a request, within `room` tokens.

    What a host calls `trusted` is read without asking what a person decided here. `fresh` looks for new and changed
    files first, unless that was done a moment ago.

    Raises:
        ProjectError: the root is no project, or nobody trusts it.
    """
    opened = access.opened(
        engine.home, access.locate(engine.home, Path(root).expanduser(), exact=True), trusted=trusted
    )
    fresh = fresh and engine.project.due(str(opened.root), engine.clock())
    found, result = search.evidence(opened, text, budget=room, fresh=fresh, kept=engine.project)
    made = tuple(
        Supplement(one.id, "project", one.text, one.tokens, (one.path,), one.score, one.level, "matches the request")
        for one in found
    )
    return Ranges(str(opened.root), made, found, result.warnings)
