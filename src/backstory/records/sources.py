"""What is said of each agent's sessions on this machine."""

from backstory.records.base import Record
from backstory.records.problem import Damage, Problem


class SourcesRequest(Record, frozen=True, kw_only=True):
    """Say where sessions were looked for and what was found."""


class SourcePlace(Record, frozen=True):
    """A place: `kind` default or added."""

    path: str
    kind: str
    exists: bool
    sessions: int
    bytes: int


class SourceRow(Record, frozen=True):
    """One agent; `supported` is false for those that are only recognised on disk."""

    name: str
    title: str
    supported: bool
    places: tuple[SourcePlace, ...]
    sessions: int
    entries: int
    malformed: int
    bytes: int
    note: str | None = None


class SourcesReport(Record, frozen=True):
    """All agents, and what could not be read; `warnings` tell of decisions of a person that are damaged.

    `damage` are the first 20 records that were skipped, in the order of their files. `passed` counts the files below
    added places in which no session of any agent was found, and `passed_over` are the first 20 of them.
    """

    sources: tuple[SourceRow, ...]
    problems: tuple[Problem, ...]
    warnings: tuple[str, ...] = ()
    damage: tuple[Damage, ...] = ()
    passed: int = 0
    passed_over: tuple[Problem, ...] = ()
