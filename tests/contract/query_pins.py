"""What the query service promises, one sentence per promise; `pins` ties a test to those it pins."""

from collections.abc import Callable
from typing import TypeVar

F = TypeVar("F", bound=Callable[..., object])

PROMISES = {
    "extraction.said": "message text, tool names, arguments and results are searchable",
    "extraction.more": "todo items, reasons of blocked prompts, error and terminal details are searchable",
    "extraction.never": "reasoning, stream chunks, headers, completions and unknown events are not searchable",
    "filters.and-or": "filters of an array all hold, values of one are alternatives, an empty list matches nothing",
    "filters.session": "sessions are filtered by id, folder or none, creation, parent or none, availability, source",
    "filters.event": "events are filtered by number, time, kind, role, surface, tool and path",
    "filters.invalid": "unknown words and impossible ranges are refused",
    "filters.text": "a text clause scans: literal, either case, blanks match blanks; searches refuse it",
    "scope.sessions": "the session search keeps each session's strongest event",
    "scope.events": "the event search stays within one session and gives its header",
    "surfaces.default": "current, shadowed and log-only events all take part unless a filter narrows them",
    "filters.before-ranking": "conditions hold before ranking: the strongest event is one that passes them",
    "snippets": "snippets are plain, bounded in code points, and show the first match",
    "literal.escaping": "operators and quotes are data; punctuation finds nothing; NUL and endless phrases are refused",
    "literal.tokens": "a phrase follows tokens, not arbitrary substrings, and never crosses what was said and answered",
    "literal.marks": "reserved marks in query and text are replaced",
    "ties": "order is count, length, time, session id, number; overlapping matches merge",
    "pagination": "pages are complete, without duplicates or gaps",
    "cursor.bound": "a cursor of another service, scope, request or shape is invalid",
    "cursor.stale": "any change makes a cursor over all sessions stale, only its own session's a cursor within one",
    "cursor.durable": "a durable cursor survives a restart and goes stale with the database",
    "mounts": "unmounting hides and deletes nothing; mounting again reads what changed",
    "stores-apart": "two stores with the same session ids do not mix",
    "named": "a hit says enough to be read again, and a name that two logs answer to is refused",
    "restart": "after a restart unchanged logs are not read again, and changed ones are",
    "incremental": "an appended event costs that event, and a changed surface no text",
    "vanished": "a session whose file is gone stays, as missing",
    "fresh": "with `refresh_ms` every call sees what is new on disk, and answers without it where that cannot be read",
    "damage": "a damaged or unreadable session is reported and the rest answers",
    "live.shadow": "a live session wins over a stored one of the same id",
    "live.reveal": "detaching reveals the stored log as it is by then",
    "live.reopen": "live rows are gone after a restart and never reach the file",
    "live.conflict": "a contradicting header fails that session alone",
    "live.numbers": "a live record whose own number does not follow is refused",
    "live.comparable": "a text ranks the same whether it is stored or live",
    "schema.refusal": "a foreign or newer database is refused untouched",
    "schema.modes": "new files are for their owner only, existing modes stay",
    "schema.memory": "the service runs in memory",
    "rollback": "a failed pass keeps nothing half done, and the next one does it again",
    "cancel.queued": "a waiting call is stopped at once",
    "cancel.running": "a running statement is stopped",
    "cancel.pass": "a stopped pass over the disk keeps nothing half done",
    "reads": "sessions, events, windows, surfaces and titles are read as they are",
    "windows": "a window is clipped to the log and bounded",
    "trace.event": "replacements and sources of an event are traced in both directions",
    "trace.session": "ancestors, descendants, unknown parents and cycles of a session are traced",
    "limits": "limits have defaults and bounds",
    "disabled": "search can be switched off",
    "no-scores": "no answer carries a score",
    "codes": "each of the seventeen errors has its stable code",
}


def pins(*promises: str) -> Callable[[F], F]:
    """Marks a test as pinning some promises."""

    def mark(test: F) -> F:
        test.pins = promises  # type: ignore[attr-defined]
        return test

    return mark
