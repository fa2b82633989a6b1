"""Which earlier entries a model may look into: those of its branch, of its session, or of its trusted project.

What lies outside a scope is never read. Nothing crosses from one project into another, and a session that was made
from another one grants nothing of it: what a fork took along stands in its own log.
"""

from collections.abc import Iterator, Sequence

from backstory.engine.host.hosted import Hosted
from backstory.engine.host.tools.results import Unavailable
from backstory.engine.planning import evidence
from backstory.engine.sessions import search
from backstory.errors import BackstoryError
from backstory.records.base import Record
from backstory.records.evidence import Said
from backstory.records.searching import Hit, SearchRequest
from backstory.records.session import Kind
from backstory.store import browse

BRANCH, SESSION, LINEAGE, PROJECT = "current-branch", "current-session", "current-lineage", "project"
MOST_HITS = 100
_VOICES = {Kind.PROMPT: "user", Kind.COMMAND: "user", Kind.TOOL_RESULT: "result", Kind.SUMMARY: "summary"}


class ScopedEntry(Record, frozen=True):
    """One entry in scope: the session it is in (key and name), how it relates to the branch, and its level."""

    said: Said
    key: int
    owner: str
    relation: str = "ancestor"
    level: str = "normal"


class InScope(Record, frozen=True):
    """Everything in a scope, whether that is all of it, and what to say about it."""

    candidates: tuple[ScopedEntry, ...]
    coverage: str = "complete"
    warnings: tuple[str, ...] = ()


def in_scope(about: Hosted, scope: str, query: str, *, summaries: bool) -> InScope:
    """The entries of a scope.

    Raises:
        Unavailable: the scope may not be looked into.
    """
    if scope == PROJECT:
        return _project(about, query)
    context = about.context
    everything = range(len(context.transcript.entries)) if scope == SESSION else None
    on_branch = frozenset(context.branch)
    said = [*evidence.said(context, everything), *(_summaries(about, everything) if summaries else ())]
    return InScope(
        tuple(
            ScopedEntry(one, context.key, about.name, "ancestor" if one.seq in on_branch else "other-branch")
            for one in said
        )
    )


def reaches(about: Hosted, scope: str, owner: str, seq: int) -> bool:
    """Whether an entry is still in a scope."""
    if scope == PROJECT:
        return about.project is not None and about.settings.config.tools.across_sessions
    return owner == about.name and (scope == SESSION or seq in about.context.branch)


def _summaries(about: Hosted, positions: Sequence[int] | None) -> Iterator[Said]:
    transcript = about.context.transcript
    chosen = transcript.reached.positions if positions is None else positions
    seqs = [transcript.entries[at].seq for at in chosen if transcript.entries[at].kind == Kind.SUMMARY]
    for one in browse.shown(about.engine.history, about.context.key, seqs):
        turn = transcript.reached.turns.get(transcript.at(one.seq), 0)
        yield Said(one.seq, "summary", one.text or "", turn, one.entry_id, one.time)


def _project(about: Hosted, query: str) -> InScope:
    """What a search finds in sessions of exactly this working folder."""
    folder = about.project
    if folder is None:
        raise Unavailable("project-untrusted", "The project is not trusted, so its other sessions stay closed.")
    if not about.settings.config.tools.across_sessions:
        raise Unavailable("project-scope-disabled", "Other sessions of the project are not opened to tools here.")
    try:
        page = search.find(about.engine, SearchRequest(query=(query, f'project:"{folder}"'), limit=MOST_HITS))
    except BackstoryError as error:
        raise Unavailable("history-unavailable", f"The history cannot be searched: {error}") from error
    here = [hit for hit in page.items if isinstance(hit, Hit) and hit.cwd == folder]
    candidates = tuple(_found(about, hit) for hit in here)
    partial = page.partial or page.next_cursor is not None
    return InScope(candidates, "partial" if partial else "complete", page.warnings)


def _found(about: Hosted, hit: Hit) -> ScopedEntry:
    owner = f"{hit.source}:{hit.session_id}"
    [(key, _), *_] = browse.named(about.engine.history, hit.session_id, hit.source)
    [shown, *_] = browse.shown(about.engine.history, key, [hit.seq])
    voice = _VOICES.get(hit.kind, "assistant")
    said = Said(hit.seq, voice, shown.text or "", entry_id=hit.entry_id, time=hit.time, tool=hit.tool)
    if owner != about.name:
        return ScopedEntry(said, key, owner, "other-session")
    return ScopedEntry(said, key, owner, "ancestor" if hit.seq in about.context.branch else "other-branch")
