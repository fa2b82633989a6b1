"""`/context memory sources`, `exclude` and `include`: which logs of the project hold memory, and which count."""

from backstory.engine import naming
from backstory.engine.host.commands.about import About, told
from backstory.engine.host.commands.line import TypedWord, given
from backstory.engine.memory import sources as memory_sources
from backstory.errors import UnknownSessionError, UsageError
from backstory.records.browsing import SessionRow
from backstory.records.host import Say
from backstory.records.memory import MemorySource
from backstory.records.memory_requests import MemoryExcludeRequest, MemoryIncludeRequest, MemorySourcesRequest
from backstory.text.charts import bounded, clipped, table
from backstory.text.wording import counted

MOST_ROWS, LONGEST_TEXT = 60, 100


def sources(about: About, _typed: list[TypedWord]) -> Say:
    """The logs that memory of the project comes from."""
    request = MemorySourcesRequest(session=about.session.name)
    found = memory_sources.sources(about.engine, request, trusted=about.call.trusted)
    if found.shared:
        head = f"{found.project}: what a session's log keeps for the project counts in all its sessions"
    else:
        why = "memory.across_sessions is off" if found.trusted else "it is not trusted"
        head = f"{found.project}: what a session's log keeps for the project counts there alone, as {why}"
    rows = [
        (one.status, one.session, counted(one.mutations, "record"), f"{one.project_mutations} shared", _why(one))
        for one in found.items
    ]
    rows += [
        ("excluded", one.session, "no record", "", clipped(one.reason or "", LONGEST_TEXT)) for one in found.excluded
    ]
    return told([head, *bounded(table(rows), MOST_ROWS)], {"sessions": [one.session for one in found.items]})


def exclude(about: About, typed: list[TypedWord]) -> Say:
    """Leave what a session keeps for the project aside.

    Raises:
        UsageError: it is the session that is open, or nothing is called that.
    """
    said = given(typed, ())
    name = said.first("session")
    reason = (said.text(1),) if len(said.words) > 1 else ()
    _, row = _named(about, name)
    if row.session_id == about.session.context.row.session_id:
        raise UsageError("the session that is open cannot be excluded")
    answer = memory_sources.exclude(about.engine, MemoryExcludeRequest(session=name, reason=reason))
    return told([f"What {answer.session} keeps for {answer.project} does not count any more."], {"excluded": True})


def include(about: About, typed: list[TypedWord]) -> Say:
    """Let what a session keeps for the project count again."""
    name = given(typed, ()).first("session")
    _named(about, name)
    answer = memory_sources.include(about.engine, MemoryIncludeRequest(session=name))
    return told([f"What {answer.session} keeps for {answer.project} counts."], {"excluded": False})


def _why(one: MemorySource) -> str:
    return clipped(one.reason or one.error or "", LONGEST_TEXT)


def _named(about: About, name: str) -> tuple[int, SessionRow]:
    try:
        return naming.session(about.engine, name)
    except UnknownSessionError as error:
        raise UsageError(str(error)) from error
