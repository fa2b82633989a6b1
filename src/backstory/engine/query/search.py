"""Full-text search of one view, in two modes: literal, which is complete, and by relevance, which ranks.

Rows are found and ordered first; text is read for the events of the page alone.
"""

from collections.abc import Sequence

import msgspec

from backstory.engine.query import filters as query_filters
from backstory.engine.query.read import whole_number
from backstory.engine.query.view import QueryView
from backstory.errors import InvalidLimitError, InvalidQueryError
from backstory.records.paging import Key, Slice
from backstory.records.query import (
    EventHit,
    EventHits,
    Mode,
    SearchEvents,
    SearchSessions,
    SessionHit,
    SessionHits,
)
from backstory.retrieve import literal
from backstory.retrieve.relevance import Ranked, ranked
from backstory.store import query as store
from backstory.store import vocabulary
from backstory.store.literal import Range, id_range
from backstory.store.where import Clause
from backstory.text.fold import spaced
from backstory.text.locate import locate
from backstory.text.query import Query, parse
from backstory.text.snippet import around, snippet

_UNSHOWN = str.maketrans({"\0": "\ufffd", "\ufdd0": "\ufffd", "\ufdd1": "\ufffd"})


class _Rows(msgspec.Struct):
    """(session key, event row id) of a page and one more; `keys`: where each of these stands, if its order has keys.

    `truncated`: more matched than were ranked. `meant`: words that stood in for some of the query.
    """

    found: Sequence[tuple[int, int]]
    keys: Sequence[Key] = ()
    truncated: bool = False
    warnings: tuple[str, ...] = ()
    meant: tuple[str, ...] = ()


class _Ask(msgspec.Struct, frozen=True):
    """A checked request: its text, where it looks and which part of the answer is wanted."""

    text: str
    mode: Mode
    where: Clause
    part: Slice
    expand: bool
    within: Range | None = None


def sessions(view: QueryView, request: SearchSessions) -> SessionHits:
    """A page of sessions by their strongest event."""
    text, limit = _text(request.query, request.mode), _limit(view, request.limit)
    where = query_filters.entries(request.event_filters, request.session_filters)
    filters = (query_filters.canonical(request.session_filters), query_filters.canonical(request.event_filters))
    asked = (text, request.mode, request.expand, limit, filters)
    pages = view.pages("search-sessions", request.cursor_scope, view.corpus, asked, limit)
    part = pages.part(request.cursor)
    copies = request.mode == Mode.LITERAL
    ask = _Ask(text, request.mode, msgspec.structs.replace(where, copies=copies), part, request.expand)
    rows = _session_rows(view, ask)
    page = rows.found[:limit]
    best = _hits(view, ask, [id_ for _, id_ in page], rows.meant)
    records = store.by_keys(view.history, [key for key, _ in page])
    items = tuple(SessionHit(records[key].session, best[id_]) for key, id_ in page)
    more = pages.following(part, rows.found, rows.keys)
    return SessionHits(items, more, rows.truncated, rows.warnings, view.problems)


def events(view: QueryView, request: SearchEvents) -> EventHits:
    """A page of events of one session, or of all."""
    text, limit = _text(request.query, request.mode), _limit(view, request.limit)
    found = None if request.session is None else view.session(request.session)
    where = query_filters.entries(request.filters, request.session_filters, session=found.key if found else None)
    named = (found.session.source, found.session.id) if found else None
    filters = (query_filters.canonical(request.session_filters), query_filters.canonical(request.filters))
    asked = (named, text, request.mode, request.expand, limit, filters)
    state = view.state(found) if found else view.corpus
    pages = view.pages("search-events", request.cursor_scope, state, asked, limit)
    part = pages.part(request.cursor)
    copies = found is not None or request.mode == Mode.LITERAL
    within = id_range(view.history, found.key) if found else None
    ask = _Ask(text, request.mode, msgspec.structs.replace(where, copies=copies), part, request.expand, within)
    rows = _event_rows(view, ask)
    ids = [id_ for _, id_ in rows.found[:limit]]
    hits = _hits(view, ask, ids, rows.meant)
    more = pages.following(part, rows.found, rows.keys)
    items = tuple(hits[id_] for id_ in ids)
    return EventHits(items, found.session if found else None, more, rows.truncated, rows.warnings, view.problems)


def _text(query: str, mode: Mode) -> str:
    """The query as it is looked for; a mode that nobody knows is a wrong query too."""
    if not isinstance(query, str):
        raise InvalidQueryError(f"a query is text, which {query!r} is not")
    if mode not in set(Mode):
        raise InvalidQueryError(f"there is no search mode {mode!r}; known: {', '.join(Mode)}")
    return literal.normalised(query)


def _limit(view: QueryView, given: int | None) -> int:
    limit = view.options.default_limit if given is None else given
    if not whole_number(limit) or not 1 <= limit <= view.options.max_limit:
        raise InvalidLimitError(f"a page holds 1 to {view.options.max_limit} results, not {limit}")
    return limit


def _session_rows(view: QueryView, ask: _Ask) -> _Rows:
    if ask.mode == Mode.LITERAL:
        phrase = literal.phrase(view.history, ask.text)
        rows = literal.sessions(view.history, phrase, ask.where, ask.part)
        return _Rows([(row.session, row.id) for row in rows], [row.key for row in rows])
    out = ranked(view.history, words(ask.text, expand=ask.expand), ask.where)
    found = _settled(view, [(score, key, best) for key, score, best in out.sessions if best])
    return _ranked(found, ask.part, out)


def _event_rows(view: QueryView, ask: _Ask) -> _Rows:
    if ask.mode == Mode.LITERAL:
        phrase = literal.phrase(view.history, ask.text)
        rows = literal.events(view.history, phrase, ask.where, ask.part, within=ask.within)
        return _Rows([(row.session, row.id) for row in rows], [row.key for row in rows])
    wanted = ask.part.offset + ask.part.limit
    out = ranked(view.history, words(ask.text, expand=ask.expand), ask.where, sessions=False, wanted=wanted)
    found = _settled(view, [(score, key, id_) for id_, key, score in out.entries])
    return _ranked(found, ask.part, out)


def _ranked(found: Sequence[tuple[int, int]], part: Slice, out: Ranked) -> _Rows:
    page = found[part.offset : part.offset + part.limit]
    return _Rows(page, truncated=out.truncated, warnings=tuple(out.warnings), meant=out.meant)


def _settled(view: QueryView, ranked_rows: Sequence[tuple[float, int, int]]) -> list[tuple[int, int]]:
    """(session key, event row id) of (score, key, id), ties in the order of literal search.

    Row ids say when an event was indexed, and those of live events lie above all others: a tie must not show that.
    """
    scores = [score for score, _, _ in ranked_rows]
    if len(set(scores)) == len(scores):
        return [(key, id_) for _, key, id_ in ranked_rows]
    ties = store.tie_keys(view.history, [id_ for _, _, id_ in ranked_rows])
    order = sorted(ranked_rows, key=lambda row: (-row[0], *ties[row[2]]))
    return [(key, id_) for _, key, id_ in order]


def words(text: str, *, expand: bool = True) -> Query:
    """A query whose `key:value` pieces are words like any other: filters are given beside the text."""
    query = parse(text)
    filters = tuple(f"{key}:{value}" for key, value in query.filters)
    return msgspec.structs.replace(query, words=query.words + filters, filters=(), expand=expand)


def _hits(view: QueryView, ask: _Ask, ids: Sequence[int], meant: Sequence[str]) -> dict[int, EventHit]:
    history, length = view.history, view.options.snippet_chars
    found = store.by_ids(history, ids)
    tokens = literal.phrase(history, ask.text).tokens
    query = words(ask.text)
    shown = [*(query.telling or query.words), *meant]
    stems = vocabulary.tokens(history, spaced(" ".join(shown)), stemmed=True) if ask.mode == Mode.RELEVANCE else []

    def piece(text: str) -> str:
        text = text.translate(_UNSHOWN)
        if ask.mode == Mode.LITERAL:
            return around(text, locate(text, tokens) or 0, length)
        return snippet(text, [*query.phrases, *query.names], stems, length)

    return {
        id_: EventHit(
            one.session, one.source, one.seq, one.kind, one.role, one.time, one.surface, one.tool, one.entry_id,
            piece(one.text), path,
        )
        for id_, (one, path) in found.items()
    }  # fmt: skip
