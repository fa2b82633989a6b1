"""One consistent look at the corpus: a connection in a read transaction, with the live overlay brought up to date.

Everything a query needs to know of the state it answers from is here: how pages are bound to it, how sessions are
named in it, and what was left out of it.
"""

import msgspec

from backstory.engine import name_rules
from backstory.engine.name_rules import SessionFile
from backstory.errors import SourceConflictError
from backstory.records.paging import VERSION, Cursor, Pages, fingerprint
from backstory.records.problem import Problem
from backstory.records.query import CursorScope, QueryOptions
from backstory.store import query as store
from backstory.store.history import History
from backstory.store.query import KeyedSession


class QueryView(msgspec.Struct, frozen=True):
    """A state to answer from. `service` names the engine, `corpus` the state of everything visible."""

    history: History
    options: QueryOptions
    service: str
    corpus: str
    problems: tuple[Problem, ...]

    def session(self, name: str) -> KeyedSession:
        """The session called `name`: its id, a unique prefix of it, `source:id`, or its file; live wins over stored.

        Raises:
            UnknownSessionError, AmbiguousSessionError: none, or several, also when files of one id contradict each
                other.
            SourceConflictError: it is live and contradicts its stored log.
        """
        files = name_rules.session(
            name,
            lambda id_, source: self._named(name, id_, source),
            lambda path, source: list(map(_candidate, store.at(self.history, path, source))),
        )
        return name_rules.fullest(self.history, name, files)

    def _named(self, name: str, id_: str, source: str | None) -> list[SessionFile[KeyedSession]]:
        """Sessions whose id begins with `id_`; a live one that contradicts its log is none of them."""
        found = store.named(self.history, id_, source)
        wrong = store.conflicts(self.history, id_, source)
        if id_ in wrong or (wrong and not found):
            raise SourceConflictError(f"the live session {name} contradicts its stored log")
        return list(map(_candidate, found))

    def state(self, found: KeyedSession) -> str:
        """What a cursor over one session is bound to; what is live is never the same in another service."""
        return f"{found.state}:{self.service}" if found.session.live else found.state

    def pages(self, kind: str, scope: CursorScope, state: str, asked: object, limit: int) -> Pages:
        """The pages of one request, which what is `asked` tells from others.

        Their cursors are good for one kind of request over one state, which is the corpus or one session. A durable
        one is bound to the database instead of the engine.
        """
        database = self.history.instance()
        owner = database if scope == CursorScope.DURABLE else self.service
        return Pages(Cursor(VERSION, owner, f"{kind}:{scope}", fingerprint(asked), f"{database}:{state}"), limit)


def _candidate(found: KeyedSession) -> SessionFile[KeyedSession]:
    one = found.session
    return SessionFile(found.key, one.source, one.id, found.path, one.missing, found)
