"""`context_history_read` and `context_history_status`: lines of one referenced entry, and what can be looked into.

A reference names an entry for the session it was given to, for a while. Reading goes to the log itself and checks that
the record there is the one that was found; a changed or vanished one gives nothing.
"""

from collections.abc import Sequence

from backstory.engine.host.hosted import Hosted
from backstory.engine.host.tools import results, scope
from backstory.engine.host.tools.results import Unavailable, cost
from backstory.engine.state.pending import EntryReference
from backstory.engine.transcript import messages
from backstory.privacy.persistence import reduced
from backstory.privacy.secrets import redact
from backstory.records.base import Record
from backstory.records.host import Say
from backstory.records.located import Located
from backstory.records.message import Block, Message, Text, ToolCall, ToolResult
from backstory.records.problem import Problem
from backstory.records.tool_names import RECALL
from backstory.records.tools import HistoryRead, HistoryStatus
from backstory.store import browse, context
from backstory.text import canonical, quoting

LARGEST_RECORD, LONGEST_LINE = 4 << 20, 2_000
_REFUSED = {
    "unknown": ("unknown-reference", f"This reference is not known; look again with {RECALL}."),
    "expired": ("expired-reference", f"This reference has expired; look again with {RECALL}."),
}


class EntryLines(Record, frozen=True):
    """An entry as the model may see it, in lines."""

    stored: Located
    lines: tuple[str, ...]
    level: str
    scope: str


def read(about: Hosted, arguments: HistoryRead) -> Say:
    """Lines of an entry that was found.

    Raises:
        Unavailable: the reference is not good here and now, or the entry is not what it was.
    """
    found = entry(about, held(about, arguments.source_ref))
    total = len(found.lines)
    kept, cut = _lines(found.lines, arguments)
    if not kept:
        raise Unavailable("no-such-lines", f"The entry has {total} lines; nothing of it stands from there on.")
    end = arguments.start_line + len(kept)
    name = found.stored.entry_id or str(found.stored.seq)
    facts = [("Source entry", quoting.quote(name)), ("Lines", f"{arguments.start_line}-{end - 1} of {total}")]
    more = end if end <= total else None
    follow = f"More follows: read again with startLine {more}." if more else "This is its end."
    return results.history(
        f"{quoting.render(quoting.EVIDENCE, facts, chr(10).join(kept))}\n{follow}",
        found.level,
        status="partial" if more or cut else "complete",
        effectiveScope=found.scope,
        coverage="complete",
        warnings=["long lines were cut"] if cut else [],
        entryId=name,
        classification=found.level,
        startLine=arguments.start_line,
        nextLine=more,
        lines=total,
    )


def entry(about: Hosted, reference: EntryReference) -> EntryLines:
    """The entry behind a reference; raises what `read` raises."""
    with about.engine.history.read():
        stored = _unchanged(about, reference)
        row = browse.by_keys(about.engine.history, [reference.key])[reference.key]
    found = messages.of_entry(row, stored)
    if isinstance(found, Problem) or row.missing:
        raise Unavailable("source-changed", "The log that held this entry is gone, or the entry in it was changed.")
    text = _text(found) if found is not None else _indexed(about, reference)
    shown, passage = about.guard().text(text)
    return EntryLines(stored, tuple(redact(shown)[0].split("\n")), passage.level, reference.scope)


def status(about: Hosted, _arguments: HistoryStatus) -> Say:
    """What can be looked into, in numbers."""
    context = about.context
    across = about.project is not None and about.settings.config.tools.across_sessions
    compacted = max(0, len(context.branch) - len(context.items))
    scopes = [scope.BRANCH, scope.SESSION, scope.LINEAGE, *([scope.PROJECT] if across else [])]
    text = (
        f"Earlier history can be looked into. This branch has {len(context.branch)} entries, of which {compacted} are "
        f"not in view any more; the whole session has {context.row.entries}. Scopes: {', '.join(scopes)}."
    )
    return results.history(
        text,
        status="complete",
        effectiveScope=scope.BRANCH,
        coverage="partial" if context.row.malformed else "complete",
        warnings=[f"{context.row.malformed} damaged records were skipped"] if context.row.malformed else [],
        available=True,
        scopes=scopes,
        branchEntries=len(context.branch),
        sessionEntries=context.row.entries,
        references=len(about.engine.pending.references),
    )


def held(about: Hosted, name: str) -> EntryReference:
    """The reference of a name; raises what `read` raises."""
    state, found = about.engine.pending.references.look(name, about.engine.now())
    if found is None:
        raise Unavailable(*_REFUSED[state])
    if found.session != about.name:
        raise Unavailable("foreign-reference", "This reference was given to another session.")
    if not scope.reaches(about, found.scope, found.owner, found.seq):
        raise Unavailable("out-of-scope", "This entry is not in the scope that it was found in any more.")
    return found


def _unchanged(about: Hosted, wanted: EntryReference) -> Located:
    stored = context.entries_at(about.engine.history, wanted.key, [wanted.seq]).get(wanted.seq)
    if stored is None or stored.hash != wanted.hash:
        raise Unavailable("source-changed", "The entry was changed since it was found.")
    if stored.length > LARGEST_RECORD:
        raise Unavailable("source-too-large", "The entry is too large to be read in lines.")
    return stored


def _indexed(about: Hosted, wanted: EntryReference) -> str:
    """The text of an entry that is no message, as the index has it."""
    found = browse.shown(about.engine.history, wanted.key, [wanted.seq])
    return found[0].text if found else ""


def _text(message: Message) -> str:
    return "\n".join(filter(None, map(_block, reduced(message, ()).blocks)))


def _block(block: Block) -> str:
    if isinstance(block, Text):
        return block.text
    if isinstance(block, ToolResult):
        return block.content
    if isinstance(block, ToolCall):
        written = block.arguments if isinstance(block.arguments, str) else canonical.compact(block.arguments)
        return f"{block.name} {written}"
    return ""


def _lines(lines: Sequence[str], arguments: HistoryRead) -> tuple[list[str], bool]:
    """The lines that were asked for and fit, the first one in any case, and whether any of them was cut."""
    room = arguments.max_output_tokens - 100
    longest = min(LONGEST_LINE, 3 * room)
    kept: list[str] = []
    cut = False
    for line in lines[arguments.start_line - 1 : arguments.start_line - 1 + arguments.max_lines]:
        short = line if len(line) <= longest else line[:longest] + "…"
        room -= cost(quoting.quote(short)) + 1
        if kept and room < 0:
            break
        kept.append(short)
        cut = cut or short is not line
    return kept, cut
