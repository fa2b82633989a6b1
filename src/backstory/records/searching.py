"""What a search is asked and what it answers: the shapes every surface shares.

Field descriptions are the help texts of the command line. Times are Unix milliseconds.
"""

from typing import Annotated

from msgspec import Meta as Help

from backstory.records.base import Record
from backstory.records.problem import Problem


class SearchRequest(Record, frozen=True, kw_only=True):
    """Find sessions or entries.

    Any of the words counts, and rare ones count more; "a phrase" holds as it stands. What begins with agent:, project:,
    role:, kind:, tool:, path:, surface:, after: or before: narrows the search.
    """

    query: Annotated[tuple[str, ...], Help(description="what to look for", extra={"positional": True})]
    sessions: Annotated[bool, Help(description="answer with sessions instead of entries")] = False
    entries: Annotated[bool, Help(description="answer with entries (the default)")] = False
    exact: Annotated[bool, Help(description="find the text exactly as it stands, inside words too")] = False
    limit: Annotated[int, Help(description="results on a page, 1 to 100")] = 20
    cursor: Annotated[str | None, Help(description="go on after an earlier page; implies --no-sync")] = None
    no_expand: Annotated[bool, Help(description="do not look for words like those that nothing holds")] = False
    no_sync: Annotated[bool, Help(description="do not look for new entries first")] = False
    budget: Annotated[int, Help(description="milliseconds to spend on new entries first")] = 3_000


class Hit(Record, frozen=True):
    """An entry that was found; `resume` is the command that takes the session up again in its own agent.

    It is null where that has none, and where the file of the session is gone (`missing`).

    `path` is the file of its session. `name` and `entry` are what to call session and entry in other commands: their
    ids, or more where those alone would mean another one.
    """

    source: str
    session_id: str
    entry_id: str | None
    seq: int
    role: str | None
    kind: str
    time: int | None
    surface: str
    title: str | None
    cwd: str | None
    snippet: str
    tool: str | None = None
    missing: bool = False
    resume: str | None = None
    path: str = ""
    name: str = ""
    entry: str = ""


class SessionHit(Record, frozen=True):
    """A session that was found, with its best entry (null when only the whole conversation matched).

    `name` is what to call it in other commands, together with `entry` of the best one.
    """

    source: str
    session_id: str
    title: str | None
    cwd: str | None
    created: int | None
    updated: int | None
    entries: int
    origin: str
    missing: bool
    resume: str | None
    best: Hit | None
    path: str = ""
    name: str = ""


class SearchPage(Record, frozen=True):
    """A page of results, best first. `partial`: not everything new was read in time.

    Snippets are cut around `pieces`, which are looked for as they stand, else around `words`: stems, in lower case and
    without accents, with which words of a text begin.
    """

    items: tuple[Hit, ...] | tuple[SessionHit, ...]
    next_cursor: str | None
    partial: bool
    warnings: tuple[str, ...]
    problems: tuple[Problem, ...] = ()
    truncated: bool = False
    pieces: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
