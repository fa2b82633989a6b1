"""Listing sessions and showing one. Times are Unix milliseconds."""

from typing import Annotated

from msgspec import Meta as Help

from backstory.records.base import Record
from backstory.records.problem import Damage, Problem
from backstory.records.session_name import SESSION
from backstory.records.summary import SummaryDetails

AROUND = 5


class SessionsRequest(Record, frozen=True, kw_only=True):
    """List sessions, the latest first."""

    agent: Annotated[tuple[str, ...], Help(description="only sessions of this agent")] = ()
    project: Annotated[
        tuple[str, ...], Help(description="only where the working directory contains this; . is the project here")
    ] = ()
    limit: Annotated[int, Help(description="sessions on a page, 1 to 1000")] = 20
    cursor: Annotated[str | None, Help(description="go on after an earlier page; implies --no-sync")] = None
    no_sync: Annotated[bool, Help(description="do not look for new entries first")] = False


class SessionRow(Record, frozen=True):
    """One session; `copy` says that the same one lies in another file, too, which has more of it or comes first."""

    source: str
    session_id: str
    title: str | None
    cwd: str | None
    created: int | None
    updated: int | None
    entries: int
    malformed: int
    origin: str
    parent: str | None
    model: str | None
    missing: bool
    path: str
    copy: bool = False


class SessionsPage(Record, frozen=True):
    """A page of sessions."""

    items: tuple[SessionRow, ...]
    next_cursor: str | None
    partial: bool = False
    problems: tuple[Problem, ...] = ()
    warnings: tuple[str, ...] = ()


class ShowRequest(Record, frozen=True, kw_only=True):
    """Show a session, or the surroundings of one of its entries."""

    session: Annotated[str, SESSION]
    entry: Annotated[
        str | None,
        Help(description="an entry id, a unique beginning of one, or its number as 12 or '#12', to centre on"),
    ] = None
    before: Annotated[int, Help(description="entries to show before it, 0 to 1000")] = AROUND
    after: Annotated[int, Help(description="entries to show after it, 0 to 1000")] = AROUND
    leaf: Annotated[str | None, Help(description="show the branch that ends in this entry")] = None
    all: Annotated[bool, Help(description="also show entries that no model sees")] = False
    reveal: Annotated[bool, Help(description="read the log itself, not the redacted copy (terminal only)")] = False
    no_sync: Annotated[bool, Help(description="do not look for new entries first")] = False


class ShownEntry(Record, frozen=True):
    """One entry in full; `details` are what the log says of a summary beside its text."""

    seq: int
    entry_id: str | None
    kind: str
    role: str | None
    time: int | None
    surface: str
    tool: str | None
    text: str
    details: SummaryDetails | None = None


class Shown(Record, frozen=True):
    """A session with entries in file order, or a branch in branch order; `target` is the seq asked for.

    `leaves` name where its branches end. `damage` are the first 20 records that were skipped. `resume` is null where
    the session cannot be resumed.
    """

    session: SessionRow
    entries: tuple[ShownEntry, ...]
    target: int | None
    leaves: tuple[str, ...]
    resume: str | None
    damage: tuple[Damage, ...] = ()
