"""The query service's answers as people read them: listings, events with their text, traces and hits."""

from collections.abc import Iterable
from typing import Any

from backstory.records.query import (
    Branch,
    Event,
    EventHit,
    EventHits,
    EventRecord,
    EventsPage,
    EventTrace,
    EventWindow,
    SessionHits,
    SessionRecord,
    SessionsPage,
    SessionTrace,
    SurfaceView,
    TitleResult,
    WholeSession,
)
from backstory.surfaces.cli.terminal import Terminal
from backstory.surfaces.cli.views.texts import indented
from backstory.text import summaries
from backstory.text.charts import columns
from backstory.text.wording import UNFINISHED, begun, counted, when

INDENT = "    "
SHORTEST_TITLE = 30


def sessions(page: SessionsPage, terminal: Terminal) -> str:
    """One line a session."""
    lines = [_session(row, terminal) for row in page.items] or ["No sessions."]
    notes = map(terminal.note, page.warnings)
    return _text([*lines, *notes, *_unfinished(page, terminal), *_more(page.next_cursor, terminal)])


def events(page: EventsPage, terminal: Terminal) -> str:
    """The events of a listing, under their session."""
    lines = [_event(event, terminal) for event in page.items] or ["No events."]
    rest = (*_unfinished(page, terminal), *_more(page.next_cursor, terminal))
    return _text([_session(page.session, terminal), "", *lines, *rest])


def whole(answer: WholeSession | SurfaceView, terminal: Terminal) -> str:
    """A session with events in full."""
    lines = [_event(event, terminal) for event in answer.events] or ["No events."]
    return _text([_session(answer.session, terminal), "", *lines, *_unfinished(answer, terminal)])


def window(answer: EventWindow, terminal: Terminal) -> str:
    """An event between its neighbours, marked."""
    lines = [_event(event, terminal, marked=event.seq == answer.target) for event in answer.events]
    return _text([_session(answer.session, terminal), "", *lines, *_unfinished(answer, terminal)])


def titles(answer: list[TitleResult], terminal: Terminal) -> str:
    """One title a line."""
    return _text(
        f"{terminal.style(row.session, 'cyan')}  {row.error or (row.title and row.title.title) or 'untitled'}"
        for row in answer
    )


def trace(answer: EventTrace, terminal: Terminal) -> str:
    """What became of an event."""
    facts = [
        ("replaced by", () if answer.replaced_by is None else (answer.replaced_by,)),
        ("a model sees instead", answer.chain[-1:]),
        ("replaces", answer.replaced),
        ("made from", answer.sources),
        ("source of", answer.derived),
    ]
    lines = [f"  {name}: {', '.join(f'#{seq}' for seq in seqs)}" for name, seqs in facts if seqs]
    lines = lines or ["  nothing replaces it and nothing was made from it"]
    lines += [f"  {line}" for line in summaries.lines(answer.details)] if answer.details is not None else []
    lines += _unfinished(answer, terminal)
    return _text([_session(answer.session, terminal), "", _event(answer.target, terminal), *lines])


def family(answer: SessionTrace, terminal: Terminal) -> str:
    """The ancestors of a session and the tree below it."""
    unknown = f"(parent {answer.missing_parent} is not known)" if answer.missing_parent else None
    lines = [terminal.style(unknown, "yellow")] if unknown else []
    for row in reversed(answer.ancestors):
        lines.append(_session(row, terminal, depth=len(lines)))
    lines.append(_session(answer.target, terminal, depth=len(lines), mark="  ◀"))
    return _text([*lines, *_tree(answer.descendants, len(lines), terminal), *_unfinished(answer, terminal)])


def _tree(branches: Iterable[Branch], depth: int, terminal: Terminal) -> Iterable[str]:
    for branch in branches:
        yield _session(branch.session, terminal, depth=depth)
        yield from _tree(branch.descendants, depth + 1, terminal)


def session_hits(page: SessionHits, terminal: Terminal) -> str:
    """Matching sessions, each with its strongest event."""
    lines = [f"{_session(hit.session, terminal)}\n{_hit(hit.best, terminal)}" for hit in page.items]
    return _text([*(lines or ["Nothing found."]), *_notes(page, terminal)])


def event_hits(page: EventHits, terminal: Terminal) -> str:
    """Matching events."""
    lines = [f"{terminal.style(f'{hit.source}:{hit.session}', 'cyan')}\n{_hit(hit, terminal)}" for hit in page.items]
    return _text([*(lines or ["Nothing found."]), *_notes(page, terminal)])


def _session(row: SessionRecord, terminal: Terminal, *, depth: int = 0, mark: str = "") -> str:
    """A session on one line; on a terminal without room for its title on two."""
    marks = [text for text, holds in (("live", row.live), ("source missing", row.missing)) if holds]
    about = " · ".join([row.source, begun(row.created), counted(row.entries, "entry"), *marks])
    indent = INDENT * depth
    room = terminal.width - columns(f"{indent}{about}{row.id}{mark}") - 4
    apart = terminal.narrow and room < SHORTEST_TITLE
    room = max(terminal.width - columns(indent + mark), SHORTEST_TITLE) if apart else room
    title = indent + terminal.style(terminal.clip(row.title or "untitled", room), "bold")
    facts = f"{terminal.style(about, 'dim')}  {terminal.style(row.id, 'cyan')}"
    return f"{title}{mark}\n{terminal.hang(f'{indent}  {facts}')}" if apart else f"{title}  {facts}{mark}"


def _head(event: EventRecord) -> str:
    faded = [] if event.surface == "current" else [event.surface]
    return f"#{event.seq} " + " · ".join([" ".join(filter(None, (event.kind, event.tool))), when(event.time), *faded])


def _event(event: EventRecord, terminal: Terminal, *, marked: bool = False) -> str:
    head = terminal.style(f"{'▶' if marked else ' '} {_head(event)}", "green" if marked else "dim")
    if not isinstance(event, Event) or not event.text:
        return head
    return f"{head}\n{indented(event.text, event.kind, terminal)}"


def _hit(hit: EventHit, terminal: Terminal) -> str:
    snippet = [terminal.hang(INDENT + line) for line in hit.snippet.split("\n")]
    return "\n".join([terminal.style(f"  {_head(hit)}", "dim"), *snippet])


def _notes(page: SessionHits | EventHits, terminal: Terminal) -> list[str]:
    notes = [*page.warnings, *(["more matched than were ranked"] if page.truncated else [])]
    return [*map(terminal.note, notes), *_unfinished(page, terminal), *_more(page.next_cursor, terminal)]


def _unfinished(answer: Any, terminal: Terminal) -> list[str]:
    return [terminal.note(UNFINISHED)] if answer.partial else []


def _more(cursor: str | None, terminal: Terminal) -> list[str]:
    return [terminal.style(f"more: add --cursor {cursor}", "dim")] if cursor else []


def _text(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"
