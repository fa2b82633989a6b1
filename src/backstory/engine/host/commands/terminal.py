"""`/context` commands on the command line: the session is named, and nobody else holds its log.

What is written goes to our own ledger, whatever agent the session belongs to: a running agent alone writes its log.
"""

from collections.abc import Iterator, Sequence

import msgspec

from backstory.engine import naming
from backstory.engine.host import appending
from backstory.engine.host.commands import answer
from backstory.engine.host.commands.line import Word
from backstory.engine.host.commands.table import find, listing
from backstory.engine.index import BUDGET_MS, sync
from backstory.engine.open import Engine
from backstory.engine.planning import models
from backstory.engine.project import access
from backstory.errors import BackstoryError, UsageError
from backstory.records.browsing import SessionRow
from backstory.records.budget import Model
from backstory.records.host import HostCall, Say
from backstory.records.planning import PlanRequest
from backstory.records.typed import ContextLine

_ALONE = frozenset(("health", "storage", "help"))


def typed(engine: Engine, request: ContextLine) -> Say:
    """Answer a command.

    Raises:
        UsageError: no command, or no session, was named.
        BackstoryError: the command cannot be carried out, for the reason that its code says.
        UnknownSessionError, AmbiguousSessionError: nothing, or too much, is called that.
    """
    words = list(request.line) or ["help"]
    found = find(words)
    if found is None or found[0].name == "help":
        if words[0] == "help":
            return Say("\n".join(["usage: backstory context COMMAND SESSION …", "", *listing("")]))
        raise _failed(answer(engine, HostCall(session="", cwd=""), _words(words)))
    command, taken = found
    rest = words[taken:]
    if not rest and command.name not in _ALONE:
        raise UsageError(f"name a session: backstory context {command.name} SESSION {command.takes}".rstrip())
    call = _call(engine, request, rest[0]) if rest else HostCall(session="", cwd="", mode=appending.COMMAND_LINE)
    step = answer(engine, call, _words([*command.name.split(), *rest[1:]]))
    if not isinstance(step, Say) or _code(step):
        raise _failed(step)
    return step


def _call(engine: Engine, request: ContextLine, name: str) -> HostCall:
    sync(engine, budget_ms=BUDGET_MS)
    with engine.history.read():
        _, row = naming.session(engine, name)
    folder = row.cwd or ""
    return HostCall(
        source=row.source,
        session=row.session_id,
        file=row.path,
        cwd=folder,
        trusted=access.is_trusted(engine.home, folder),
        mode=appending.COMMAND_LINE,
        model=_model(row, request),
    )


def _model(row: SessionRow, request: ContextLine) -> Model:
    known = models.guessed(row)
    named = models.chosen(PlanRequest(session=row.session_id, model=request.model), known) or known
    return msgspec.structs.replace(named, window=request.window) if request.window else named


def _words(words: Sequence[str]) -> list[Word]:
    """Words that a shell has taken apart already; whoever shows one again shows it as it was meant."""
    return [Word(word, word) for word in words]


def _code(step: Say) -> str | None:
    return step.data.get("errorCode") if isinstance(step.data, dict) else None


def _failed(step: object) -> BackstoryError:
    if not isinstance(step, Say):
        return UsageError("this command cannot be carried out here")
    kind = next((one for one in _kinds(BackstoryError) if one.code == _code(step)), UsageError)
    return kind.__new__(kind, step.text)


def _kinds(family: type[BackstoryError]) -> Iterator[type[BackstoryError]]:
    yield family
    for kind in family.__subclasses__():
        yield from _kinds(kind)
