"""One consistent look at the corpus: a connection in a read transaction, with the live overlay brought up to date.

Everything a query needs to know of the state it answers from is here: how cursors are bound to it, how sessions are
named in it, and what was left out of it.
"""

from collections.abc import Sequence

import msgspec

from backstory.config.paths import as_path
from backstory.errors import (
    BY_FILE,
    AmbiguousSessionError,
    InvalidCursorError,
    SourceConflictError,
    UnknownSessionError,
)
from backstory.records.paging import VERSION, Cursor, Key, encode, fingerprint, position
from backstory.records.problem import Problem
from backstory.records.query import CursorScope, QueryOptions
from backstory.sources import registry
from backstory.store import copies
from backstory.store import query as store
from backstory.store.history import History
from backstory.store.query import Found


class View(msgspec.Struct, frozen=True):
    """A state to answer from. `service` names the engine, `corpus` the state of everything visible."""

    history: History
    options: QueryOptions
    service: str
    corpus: str
    problems: tuple[Problem, ...]

    def session(self, name: str) -> Found:
        """The session called `name`: its id, a unique prefix of it, `source:id`, or its file; live wins over stored.

        Raises:
            UnknownSessionError, AmbiguousSessionError: none, or several, also when files of one id contradict each
                other.
            SourceConflictError: it is live and contradicts its stored log.
        """
        source, id_ = registry.split(name) if isinstance(name, str) else (None, "")
        if not id_:
            raise UnknownSessionError(name)
        found = store.named(self.history, id_, source)
        whole = [one for one in found if one.session.id == id_]
        wrong = store.conflicts(self.history, id_, source)
        if id_ in wrong or (wrong and not found):
            raise SourceConflictError(f"the live session {name} contradicts its stored log")
        found = whole or found or store.at(self.history, as_path(id_), source)
        kin = registry.without_subagents({f"{one.session.source}:{one.session.id}" for one in found})
        if not kin:
            raise UnknownSessionError(name)
        if len(kin) > 1:
            raise AmbiguousSessionError(name, kin)
        return self._only(name, found)

    def state(self, found: Found) -> str:
        """What a cursor over one session is bound to; what is live is never the same in another service."""
        return f"{found.state}:{self.service}" if found.session.live else found.state

    def _only(self, name: str, found: Sequence[Found]) -> Found:
        """The first of the files of one session, if it has all that the others have; files that are gone come last."""
        first, *rest = (one for one in found if one.session.id == found[0].session.id)
        others = [one for one in rest if one.session.missing == first.session.missing]
        if copies.contradict(self.history, first.key, (one.key for one in others)):
            raise AmbiguousSessionError(name, sorted(one.path for one in (first, *others)), advice=BY_FILE)
        return first


class Pages:
    """The cursors of one request: where its page starts and what leads to the next one.

    `state` is the corpus, or one session. A durable cursor is bound to the database instead of the engine.
    """

    def __init__(self, view: View, kind: str, scope: CursorScope, request: object, state: str) -> None:
        database = view.history.instance()
        owner = database if scope == CursorScope.DURABLE else view.service
        self._here = Cursor(VERSION, owner, f"{kind}:{scope}", fingerprint(request), f"{database}:{state}", 0)

    def start(self, cursor: str | None) -> int:
        """The offset of the page asked for.

        Raises:
            InvalidCursorError: damaged, or of another engine or database, scope or request.
            StaleCursorError: what it pages through has changed.
        """
        return self.place(cursor)[0]

    def place(self, cursor: str | None) -> tuple[int, Key | None]:
        """The same with the key of the item before that page, if its order has keys; raises the same."""
        if not cursor:
            return 0, None
        if not isinstance(cursor, str):
            raise InvalidCursorError("a cursor is text")
        return position(cursor, self._here)

    def after(self, offset: int, key: Key | None = None) -> str:
        """The cursor of a page that starts at `offset`, behind the item with this key."""
        return encode(msgspec.structs.replace(self._here, offset=offset, after=key))
