"""What indexing is asked and what it reports."""

from typing import Annotated

from msgspec import Meta as Help

from backstory.records.base import Record
from backstory.records.problem import Problem


class IndexRequest(Record, frozen=True, kw_only=True):
    """Read what is new or changed in all agents' sessions."""

    root: Annotated[tuple[str, ...], Help(description="another place to look in, AGENT=PATH; remembered")] = ()
    drop_root: Annotated[
        tuple[str, ...], Help(description="a place that was added, PATH or AGENT=PATH, to be looked at no more")
    ] = ()
    only_roots: Annotated[bool, Help(description="leave the agents' default places alone")] = False


class IndexedSource(Record, frozen=True):
    """What one source contributed; `bytes` are all found, `entries` those written in this pass."""

    name: str
    sessions: int
    entries: int
    malformed: int
    unchanged: int
    bytes: int
    seconds: float


class IndexReport(Record, frozen=True):
    """The result of indexing; `dropped` sessions were in the index before a rebuild and are not any more.

    `passed` counts the files of the places that were given in which no session was found.
    """

    sources: tuple[IndexedSource, ...]
    seconds: float
    missing: int = 0
    partial: bool = False
    problems: tuple[Problem, ...] = ()
    dropped: int = 0
    passed: int = 0


class RebuildRequest(Record, frozen=True, kw_only=True):
    """Delete everything derived and index again."""
