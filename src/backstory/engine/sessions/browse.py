"""Listing sessions and showing one: in file order, around an entry, or along one branch."""

from collections.abc import Sequence

import msgspec

from backstory.dialogue import branch
from backstory.engine import naming, summaries
from backstory.engine.indexing.index import BUDGET_MS, admitting, problems, sync
from backstory.engine.loading import load
from backstory.engine.open import Engine
from backstory.engine.outgoing import outgoing
from backstory.engine.sessions.narrow import folders, named, strangers
from backstory.errors import InvalidLimitError, InvalidWindowError, UnreadableSourceError, quoted
from backstory.index.look import Report
from backstory.privacy.secrets import redact
from backstory.records.browsing import AROUND, SessionRow, SessionsPage, SessionsRequest, Shown, ShownEntry, ShowRequest
from backstory.records.node import Node
from backstory.records.paging import VERSION, Cursor, Pages, fingerprint
from backstory.records.session import Entry, Facts, Kind
from backstory.sources import reading, registry
from backstory.store import browse, context, entries

MOST_SESSIONS = 1_000
MOST_AROUND = 1_000


def sessions(engine: Engine, request: SessionsRequest) -> SessionsPage:
    """A page of sessions, the latest first.

    Raises:
        InvalidLimitError, InvalidCursorError, StaleCursorError: the request makes no sense.
    """
    if not 1 <= request.limit <= MOST_SESSIONS:
        raise InvalidLimitError(f"a page holds 1 to {MOST_SESSIONS} sessions, not {request.limit}")
    report = None if request.no_sync or request.cursor else sync(engine, budget_ms=BUDGET_MS)
    with engine.untouched(when=request.no_sync) as reader, reader.history.read():
        agents = named(request.agent)
        projects = folders(request.project)
        asked = (agents, projects, request.limit)
        generation = str(reader.history.generation())
        here = Cursor(VERSION, reader.history.instance(), "list", fingerprint(asked), generation)
        pages = Pages(here, request.limit)
        part = pages.part(request.cursor)
        rows = browse.listed(reader.history, agents=agents, projects=projects, limit=part.limit, offset=part.offset)
        stored = 0 if rows else browse.sessions(reader.history)
    told = problems(report) if report else ()
    warnings = strangers(agents)
    partial = bool(report and report.partial)
    if not (rows or warnings or partial or request.cursor):
        warnings = tuple(load("engine.sessions.hints:unlisted")(engine, request, stored))
    items = outgoing(tuple(rows[: request.limit]))
    return SessionsPage(items, pages.following(part, rows), partial, told, warnings)


def show(engine: Engine, request: ShowRequest) -> Shown:
    """Entries of one session: all that have text, a window around one, or the branch that ends in a leaf.

    Raises:
        UnknownSessionError, AmbiguousSessionError, UnknownEntryError: nothing, or too much, is called that.
        InvalidWindowError: `before` or `after` out of bounds, or without an entry; an entry that is not on the branch.
        UnreadableSourceError: `reveal` was asked for and the log cannot be read.
    """
    if not (0 <= request.before <= MOST_AROUND and 0 <= request.after <= MOST_AROUND):
        raise InvalidWindowError(f"--before and --after are 0 to {MOST_AROUND}")
    if not request.entry and (request.before, request.after) != (AROUND, AROUND):
        raise InvalidWindowError("--before and --after are counted from an entry: name it with --entry")
    report = Report() if request.no_sync else sync(engine, budget_ms=BUDGET_MS)
    with admitting(report), engine.untouched(when=request.no_sync) as reader, reader.history.read():
        asked = [name for name in (request.entry, request.leaf) if name]
        key, row = naming.session(reader, request.session, having=asked)
        nodes = [node for node, _ in entries.nodes(reader.history, key)]
        facts = browse.facts(reader.history, key)
        target = naming.entry(reader, key, row, request.entry) if request.entry else None
        seqs = browse.seqs(reader.history, key, everything=request.all)
        if request.leaf:
            kept = _on_branch(nodes, naming.entry(reader, key, row, request.leaf), facts)
            if target is not None and target not in kept:
                told = f"entry {quoted(request.entry)} does not lie on the branch that ends in {quoted(request.leaf)}"
                raise InvalidWindowError(told, advice="--leaf can be left out")
            seqs = [seq for seq in seqs if seq in kept]
        if target is not None:
            seqs = _around(seqs, target, request.before, request.after)
        found = _detailed(reader, key, row, outgoing(browse.shown(reader.history, key, seqs)))
        leaves = branch.ends(nodes, shape=facts.shape, rules=facts.rules)
        if request.reveal:
            found = _revealed(row, found)
        damage = browse.damage(reader.history, key) if row.malformed else ()
    row = outgoing(row)
    command = None if row.missing else registry.resume(row.source, row.session_id, row.cwd, row.path)
    ends = tuple(nodes[at].entry_id or str(nodes[at].seq) for at in leaves)
    return Shown(row, tuple(found), target, ends, command, damage)


def _detailed(engine: Engine, key: int, row: SessionRow, found: Sequence[ShownEntry]) -> list[ShownEntry]:
    """The same entries, summaries with their details."""
    of = [one.seq for one in found if one.kind == Kind.SUMMARY]
    placed = context.entries_at(engine.history, key, of).values() if of else ()
    known = summaries.details(row.source, row.path, placed)
    return [msgspec.structs.replace(one, details=known[one.seq]) if one.seq in known else one for one in found]


def _on_branch(nodes: Sequence[Node], leaf: int, facts: Facts) -> set[int]:
    """The sequence numbers of a branch, by that of its last entry."""
    last = next(at for at, node in enumerate(nodes) if node.seq == leaf)
    return {nodes[at].seq for at in branch.path(nodes, last, shape=facts.shape, rules=facts.rules)}


def _around(seqs: Sequence[int], target: int, before: int, after: int) -> list[int]:
    ahead = [seq for seq in seqs if seq < target]
    behind = [seq for seq in seqs if seq > target]
    return [*ahead[len(ahead) - before :], target, *behind[:after]] if before else [target, *behind[:after]]


def _revealed(row: SessionRow, found: Sequence[ShownEntry]) -> list[ShownEntry]:
    """The same entries with the text of the log itself where redaction had changed it."""
    source = registry.load(row.source)
    drafts = {item.seq: item.draft.text for item in reading.Reading(source, row.path) if isinstance(item, Entry)}
    if not drafts and found:
        raise UnreadableSourceError(row.path, "the log has no entries any more")
    return [
        msgspec.structs.replace(one, text=drafts[one.seq]) if redact(drafts.get(one.seq, ""))[0] == one.text else one
        for one in found
    ]
