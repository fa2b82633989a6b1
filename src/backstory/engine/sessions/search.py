"""Search as a use case: bring the index up to date within a budget, rank or find exactly, cut a page, show it."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import msgspec

from backstory.engine.indexing.index import problems, sync
from backstory.engine.loading import load
from backstory.engine.open import Engine
from backstory.engine.sessions.narrow import narrowed
from backstory.errors import InvalidLimitError, InvalidQueryError, UsageError
from backstory.privacy.secrets import clean, named, redact_each
from backstory.records.paging import VERSION, Cursor, Pages, fingerprint
from backstory.records.problem import Problem
from backstory.records.searching import Hit, SearchPage, SearchRequest, SessionHit
from backstory.retrieve.relevance import ranked
from backstory.sources import registry
from backstory.store import handles, hits, vocabulary
from backstory.store.hits import HitRow
from backstory.store.where import Clause
from backstory.text.accents import alike
from backstory.text.fold import spaced
from backstory.text.query import Query, parse
from backstory.text.snippet import snippet

if TYPE_CHECKING:
    from backstory.records.browsing import SessionRow

MOST = 100
MOST_EXACT_SESSIONS = 2_000


class _Found(msgspec.Struct):
    """Candidates for one page and what to say about them; a session's best entry may be 0 for none.

    `meant` are words that stood in for some of the query.
    """

    entries: Sequence[int] = ()
    sessions: Sequence[tuple[int, int]] = ()
    warnings: Sequence[str] = ()
    truncated: bool = False
    meant: tuple[str, ...] = ()


def find(engine: Engine, request: SearchRequest) -> SearchPage:
    """A page of entries, or of sessions with their best entry.

    Raises:
        InvalidLimitError, InvalidQueryError, InvalidCursorError, StaleCursorError, UsageError: the request makes no
            sense.
        DatabaseError: the index cannot be used.
    """
    if not 1 <= request.limit <= MOST:
        raise InvalidLimitError(f"a page holds 1 to {MOST} results, not {request.limit}")
    if request.budget < 0:
        raise InvalidLimitError(f"--budget must not be negative, as {request.budget} is")
    if request.sessions and request.entries:
        raise UsageError("choose --sessions or --entries")
    text = " ".join(request.query)
    if "\0" in text or not text.strip():
        raise InvalidQueryError("there is nothing to search for")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidQueryError("a query must not hold half of a surrogate pair") from error
    told: tuple[Problem, ...] = ()
    partial = False
    if not (request.no_sync or request.cursor):
        report = sync(engine, budget_ms=request.budget)
        told, partial = problems(report), report.partial
    with engine.untouched(when=request.no_sync) as reader, reader.history.read():
        page = _page(reader, request, text, partial=partial)
    return msgspec.structs.replace(page, partial=partial, problems=told)


def _page(engine: Engine, request: SearchRequest, text: str, *, partial: bool) -> SearchPage:
    query = Query(text) if request.exact else msgspec.structs.replace(parse(text), expand=not request.no_expand)
    clause, warnings = narrowed(query, engine.now())
    # The same filter means other folders elsewhere, and other days later.
    asked = (text, clause.args, request.exact, request.no_expand, request.limit)
    here = Cursor(
        VERSION, engine.history.instance(), "sessions" if request.sessions else "entries", fingerprint(asked),
        str(engine.history.generation()),
    )  # fmt: skip
    pages = Pages(here, request.limit)
    part = pages.part(request.cursor)
    wanted = part.offset + part.limit
    piece = text if request.exact else query.signs
    if piece:
        found = _exactly(engine, request, piece, clause, wanted)
    else:
        found = _ranked(engine, query, clause, sessions=request.sessions, wanted=wanted)
    # Of an index that is not complete nobody can say that nothing is in it.
    told = found.warnings
    if not (found.entries or found.sessions or partial):
        told = _hints(engine, request, query, found.warnings)
    show: Callable[..., tuple[Hit, ...] | tuple[SessionHit, ...]] = _session_hits if request.sessions else _hits
    rows: Sequence[object] = found.sessions if request.sessions else found.entries
    rows = rows[part.offset : wanted]
    shown = spaced(" ".join([*(query.telling or query.words), *found.meant]))
    words = vocabulary.tokens(engine.history, shown, stemmed=True)
    needles = alike(piece) if piece else [*query.phrases, *query.names]
    items = show(engine, rows[: request.limit], words, needles)
    return SearchPage(
        items, pages.following(part, rows), partial=False, warnings=(*warnings, *told), truncated=found.truncated,
        pieces=tuple(needles), words=tuple(dict.fromkeys(words)),
    )  # fmt: skip


def _hints(engine: Engine, request: SearchRequest, query: Query, told: Sequence[str]) -> Sequence[str]:
    """What to say where nothing was found."""

    def finds(asked: Query) -> bool:
        return bool(_ranked(engine, asked, narrowed(asked, engine.now())[0], sessions=False, wanted=1).entries)

    hints: Callable[..., Sequence[str]] = load("engine.sessions.hints:nothing")
    return hints(engine, query, told, exact=request.exact, synced=not request.no_sync, finds=finds)


def _ranked(engine: Engine, query: Query, clause: Clause, *, sessions: bool, wanted: int) -> _Found:
    out = ranked(engine.history, query, clause, sessions=sessions, wanted=wanted)
    return _Found(
        [id_ for id_, _, _ in out.entries], [(key, best) for key, _, best in out.sessions], out.warnings, out.truncated,
        out.meant,
    )  # fmt: skip


def _exactly(engine: Engine, request: SearchRequest, text: str, clause: Clause, wanted: int) -> _Found:
    exact: Callable[..., list[tuple[int, int]]] = load("retrieve.exact:exact")
    if not request.sessions:
        return _Found([id_ for id_, _ in exact(engine.history, text, clause, offset=0, limit=wanted)])
    rows = exact(engine.history, text, clause, offset=0, limit=MOST_EXACT_SESSIONS)
    best: dict[int, int] = {}
    for id_, session in rows:
        best.setdefault(session, id_)
    return _Found(sessions=list(best.items()), truncated=len(rows) == MOST_EXACT_SESSIONS)


def _hits(engine: Engine, ids: Sequence[int], words: Sequence[str], needles: Sequence[str]) -> tuple[Hit, ...]:
    rows = hits.hits(engine.history, ids)
    shown = [rows[id_] for id_ in ids if id_ in rows]
    cut = redact_each([snippet(row.text or "", needles, words) for row in shown])
    sessions = {row.session: row for row in shown}
    heads = {key: (clean(row.title), _resume(row)) for key, row in sessions.items()}
    names = _names(engine, shown)
    return tuple(_hit(row, piece, names[row.id], *heads[row.session]) for row, piece in zip(shown, cut, strict=True))


def _names(engine: Engine, shown: Sequence[HitRow]) -> dict[int, tuple[str, str]]:
    """For each row the names of its session and of its entry under which both are shown again."""
    unclear = handles.unclear(engine.history, [row.id for row in shown])
    names = {}
    for row in shown:
        shared, later, number = unclear.get(row.id) or (False, False, str(row.seq))
        entry = number if later or not row.entry_id else row.entry_id
        names[row.id] = (row.session_id, entry)
        if shared:
            names[row.id] = load("engine.sessions.handles:of_entry")(engine, row, entry), entry
    return names


def _hit(row: HitRow, piece: str, names: tuple[str, str], title: str | None, resume: str | None) -> Hit:
    return Hit(
        source=row.source, session_id=row.session_id, entry_id=row.entry_id, seq=row.seq, role=row.role, kind=row.kind,
        time=row.time, surface=row.surface, title=title, cwd=named(row.cwd), tool=named(row.tool), snippet=piece,
        missing=bool(row.missing), resume=resume, path=row.path, name=names[0], entry=names[1],
    )  # fmt: skip


def _resume(row: "HitRow | SessionRow") -> str | None:
    return None if row.missing else registry.resume(row.source, row.session_id, named(row.cwd), row.path)


def _session_hits(
    engine: Engine, found: Sequence[tuple[int, int]], words: Sequence[str], needles: Sequence[str]
) -> tuple[SessionHit, ...]:
    rows: dict[int, SessionRow] = load("store.browse:by_keys")(engine.history, [key for key, _ in found])
    ids = [best for _, best in found if best]
    best = dict(zip(ids, _hits(engine, ids, words, needles), strict=True))
    whole = handles.shared(engine.history, [key for key, id_ in found if not id_])
    names = {key: load("engine.sessions.handles:of_session")(engine, key, rows[key]) for key in whole}
    return tuple(_session_hit(rows[key], best.get(id_), names.get(key)) for key, id_ in found)


def _session_hit(row: "SessionRow", best: Hit | None, name: str | None) -> SessionHit:
    return SessionHit(
        source=row.source, session_id=row.session_id, title=clean(row.title), cwd=named(row.cwd), created=row.created,
        updated=row.updated, entries=row.entries, origin=row.origin, missing=row.missing, best=best,
        resume=_resume(row), path=row.path, name=best.name if best else name or row.session_id,
    )  # fmt: skip
