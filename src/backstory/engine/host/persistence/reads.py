"""Lists and finds pins and memories for a model, and the logs that memories of a project come from.

Lists hold names and states only. What was kept is seen by finding it, as a short preview, where the policy lets the
model see it at all; nothing of a project shows while the host does not trust it.
"""

import unicodedata
from collections.abc import Sequence

from msgspec import UNSET

from backstory.engine.host.hosted import Hosted, shown
from backstory.engine.host.persistence import results, revisions
from backstory.engine.host.persistence.facts import ItemFacts, SourceFacts
from backstory.engine.host.tools.results import Unavailable
from backstory.engine.memory import sources as memory_sources
from backstory.errors import UsageError
from backstory.plan.memory import select as memory_select
from backstory.plan.memory.rules import normal_key
from backstory.records.host import Say
from backstory.records.memory import Kept, MemorySource
from backstory.records.memory_requests import MemorySourcesRequest
from backstory.records.tools import Persistence
from backstory.text.charts import plain

MOST_SCANNED, LONGEST_BODY, PREVIEW = 4_096, 20_000, 160
_BY_ID, _BY_KEY, _PHRASE, _ALL_WORDS, _SOME_WORDS = 120, 100, 80, 60, 30
_ERRORS = {"missing": "source-missing", "corrupt": "source-corrupt"}


def items(about: Hosted, kind: str) -> list[Kept]:
    """The pins or memories that a model may know of, in the order they were made."""
    state = about.kept()
    known = state.pins if kind == "pin" else state.memories
    return [item for item in known if item.scope != "project" or about.call.trusted]


def applies(about: Hosted, kept: Kept) -> bool:
    """Whether an item is in force on the present branch."""
    folder = kept.project if kept.scope == "project" else None
    return memory_select.applies(kept, about.context.row.session_id, folder, about.context.branch_ids)


def listing(about: Hosted, arguments: Persistence, kind: str) -> Say:
    """The items, newest first."""
    shown_ = [item for item in reversed(items(about, kind)) if not _active(arguments) or item.status == "active"]
    most = _most(about, arguments)
    facts = [_facts(about, item) for item in shown_[:most]]
    lines = [_line(fact) for fact in facts]
    return results.listed(arguments.action, lines, facts, truncated=len(shown_) > most)


def find(about: Hosted, arguments: Persistence, kind: str) -> Say:
    """The items that a query names or is said in, best first, each with a preview.

    Raises:
        Unavailable: the query is too short.
    """
    wanted = _folded(str(arguments.query))
    if len(wanted) < 2:
        raise Unavailable("invalid-parameters", "query has at least two characters besides blanks.")
    known = [item for item in items(about, kind) if not _active(arguments) or item.status == "active"]
    incomplete = len(known) > MOST_SCANNED or any(len(item.text) > LONGEST_BODY for item in known)
    scored = [(_score(item, wanted, str(arguments.query).strip()), item) for item in known[-MOST_SCANNED:]]
    ranked = sorted(
        ((score, item) for score, item in scored if score),
        key=lambda pair: (
            -pair[0] - 10 * (pair[1].status == "active"), pair[1].status != "active", not applies(about, pair[1]),
            -(pair[1].updated or pair[1].created), pair[1].id,
        ),
    )  # fmt: skip
    most = _most(about, arguments)
    facts = [_facts(about, item) for _, item in ranked[:most]]
    lines = [
        f"{_line(fact)}\n    {_preview(about, item, exact=score == _BY_ID)}"
        for fact, (score, item) in zip(facts, ranked, strict=False)
    ]
    return results.listed(arguments.action, lines, facts, truncated=len(ranked) > most, incomplete=incomplete)


def sources(about: Hosted, arguments: Persistence) -> Say:
    """The logs of the project, under names that only this process knows."""
    most = _most(about, arguments)
    logs = project_sources(about)
    facts = [_source(about, log) for log in logs[:most]]
    lines = [
        f"{fact.source_ref}  {fact.status}, {fact.mutations} mutations, {fact.project_mutations} for the "
        f"project, revision {fact.target_revision}"
        for fact in facts
    ]
    return results.listed(arguments.action, lines, facts, truncated=len(logs) > most)


def project_sources(about: Hosted) -> Sequence[MemorySource]:
    """The logs that hold memory of the project.

    Raises:
        Unavailable: the project is not trusted, or memory is not shared between its sessions.
    """
    if about.project is None:
        raise Unavailable("project-untrusted", "The project is not trusted.")
    if not about.settings.config.memory.across_sessions:
        raise Unavailable("cross-session-disabled", "Memory is not shared between sessions (memory.across_sessions).")
    try:
        return memory_sources.sources(about.engine, MemorySourcesRequest(session=about.name), trusted=True).items
    except UsageError as error:
        raise Unavailable("memory-unavailable", "The session has no project.") from error


def _source(about: Hosted, log: MemorySource) -> SourceFacts:
    return SourceFacts(
        source_ref=about.engine.pending.sources.put((about.project or "", log.session), about.engine.now()),
        status=log.status,
        records=log.records,
        mutations=log.mutations,
        project_mutations=log.project_mutations,
        malformed=log.malformed > 0,
        target_revision=revisions.source(about, log),
        error_code=_ERRORS.get(log.status) or ("source-malformed" if log.malformed else None),
    )


def _facts(about: Hosted, kept: Kept) -> ItemFacts:
    in_force = applies(about, kept)
    return ItemFacts(
        id=kept.id,
        kind=kept.kind,
        scope=kept.scope,
        status=kept.status,
        classification=kept.level,
        created_at=kept.created,
        updated_at=kept.updated or kept.created,
        target_revision=revisions.item(about, kept, applies=in_force),
        applicable=in_force if kept.kind == "pin" else None,
    )


def _line(fact: ItemFacts) -> str:
    elsewhere = ", not on this branch" if fact.applicable is False else ""
    state = f"{fact.kind}, {fact.scope}, {fact.status}, {fact.classification}{elsewhere}"
    return f"{fact.id}  {state}, revision {fact.target_revision}"


def _score(kept: Kept, wanted: str, query: str) -> int:
    """By its id, by its key, by the whole phrase, by all words or by some; 0 where nothing of the query is in it."""
    if kept.id == query:
        return _BY_ID
    if kept.key is not None and kept.key == normal_key(query):
        return _BY_KEY
    text = _folded(kept.text) if len(kept.text) <= LONGEST_BODY else ""
    if wanted in text:
        return _PHRASE
    words = wanted.split()
    hits = sum(word in text for word in words)
    return _ALL_WORDS if words and hits == len(words) else _SOME_WORDS if hits else 0


def _preview(about: Hosted, kept: Kept, *, exact: bool) -> str:
    """The beginning of what is kept, where the model may see it; none for an item that was named by its id."""
    if exact:
        return "(named by its id; no preview)"
    text, _ = shown(about.guard(always=True), kept.text, kept.level)
    if text is None:
        return "(withheld by the privacy policy)"
    line = plain(" ".join(text.split()))
    return line if len(line) <= PREVIEW else line[: PREVIEW - 1] + "…"


def _folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).split()).lower()


def _active(arguments: Persistence) -> bool:
    return arguments.active_only is UNSET or bool(arguments.active_only)


def _most(about: Hosted, arguments: Persistence) -> int:
    allowed = min(results.MOST_ITEMS, about.settings.config.memory.results)
    return allowed if arguments.max_results is UNSET else min(allowed, int(str(arguments.max_results)))
