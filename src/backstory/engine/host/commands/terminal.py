"""`/context` commands on the command line: the session is named, and nobody else holds its log.

What is written goes to our own ledger, whatever agent the session belongs to: a running agent alone writes its log.
"""

from collections.abc import Sequence

import msgspec

from backstory.engine import naming, trust
from backstory.engine.host import appending
from backstory.engine.host.commands import carried_out
from backstory.engine.host.commands.line import TypedWord
from backstory.engine.host.commands.table import LATER, find, listing, nearest
from backstory.engine.indexing.index import BUDGET_MS, sync
from backstory.engine.open import Engine
from backstory.engine.planning import models
from backstory.errors import BackstoryError, UsageError, quoted
from backstory.records.browsing import SessionRow
from backstory.records.budget import Model
from backstory.records.context_line import ContextLine
from backstory.records.host import HostCall, Say
from backstory.records.planning import PlanRequest

_ALONE = frozenset(("health", "storage", "help"))


def typed(engine: Engine, request: ContextLine) -> Say:
    """Answer a command.

    Raises:
        UsageError: no command, or no session, was named, or not as the command wants it.
        BackstoryError: the command cannot be carried out, for the reason that its code says.
        UnknownSessionError, AmbiguousSessionError: nothing, or too much, is called that.
    """
    words = list(request.line) or ["help"]
    found = find(words)
    if words[0] == "help":
        return Say("\n".join(["usage: backstory context COMMAND SESSION …", "", *listing("")]))
    if found is None:
        raise UsageError(_unknown(words))
    command, taken = found
    rest = words[taken:]
    if not rest and command.name not in _ALONE:
        raise UsageError(f"name a session: {command.shell_form}; backstory sessions lists them")
    call = _call(engine, request, rest[0]) if rest else HostCall(session="", cwd="", mode=appending.COMMAND_LINE)
    try:
        step = carried_out(engine, call, command, _words(rest[1:]))
    except BackstoryError as error:
        if error.code != UsageError.code or not command.takes:
            raise
        raise UsageError(str(error), advice=error.advice or f"usage: {command.shell_form}") from error
    if not isinstance(step, Say):
        raise UsageError("this command cannot be carried out here")
    return step


def _unknown(words: Sequence[str]) -> str:
    """What to say of a word that is no command: it may be a slip, a later command, or the session named first."""
    name = words[0][:80]
    if name.lower() in LATER:
        return f"context {name.lower()} comes with a later version"
    told = f"no context command is called {quoted(name)}"
    behind = find(list(words[1:]))
    if behind and behind[0].name not in _ALONE:
        return f"{told}; the session stands behind the command: backstory context {behind[0].name} {name}"
    near = nearest(name)
    hint = f"did you mean: backstory context {near}" if near else "backstory context help lists them"
    return f"{told}; {hint}"


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
        trusted=trust.is_trusted(engine.home, folder),
        mode=appending.COMMAND_LINE,
        model=_model(row, request),
    )


def _model(row: SessionRow, request: ContextLine) -> Model:
    known = models.guessed(row)
    named = models.chosen(PlanRequest(session=row.session_id, model=request.model), known) or known
    return msgspec.structs.replace(named, window=request.window) if request.window else named


def _words(words: Sequence[str]) -> list[TypedWord]:
    """Words that a shell has taken apart already; whoever shows one again shows it as it was meant."""
    return [TypedWord(word, word) for word in words]
