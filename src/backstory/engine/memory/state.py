"""Reads what a session may see of memories and pins, as they are stored: its own, and those of its project.

What a person told Backstory concerns every session of the project. What another session's log holds counts only in a
project that a person trusts, and only when memory is shared across sessions. Bringing the stored rows up to date is
`engine.memory.sync`, done before a read transaction begins.
"""

from collections.abc import Iterator, Sequence
from itertools import chain

from backstory.engine import settings, trust
from backstory.engine.context import Context
from backstory.engine.memory import sync
from backstory.engine.open import Engine
from backstory.errors import BackstoryError
from backstory.plan.memory import select as memory_select
from backstory.plan.memory.select import MemoryMatch
from backstory.records.config import MemoryOptions
from backstory.records.memory import Fold, Kept
from backstory.store import memory, mutations
from backstory.store.memory import Viewer

WAIT_MS = 500


def options(engine: Engine, folder: str | None, *, trusted: bool | None = None) -> MemoryOptions:
    """What is set about memory for work in a folder; `trusted` as in `kept`."""
    return settings.effective(engine, folder, trusted=trusted).config.memory


def viewer(engine: Engine, context: Context, chosen: MemoryOptions, *, trusted: bool | None = None) -> Viewer:
    """Who asks: the session with its project, and how many other sessions' logs count for it.

    `trusted` is a host's word on the project; None asks what a person decided.
    """
    folder = sync.project_of(context.row.cwd)
    known = trusted if trusted is not None else trust.is_trusted(engine.home, folder)
    shared = chosen.across_sessions and known
    return Viewer(context.row.session_id, folder, chosen.sessions if shared else 0)


def kept(engine: Engine, context: Context, chosen: MemoryOptions | None = None, *, trusted: bool | None = None) -> Fold:
    """All memories and pins that concern a session, whatever their status, and what did not count.

    `trusted` is a host's word on the project; None asks what a person decided.

    Raises:
        DatabaseError: the index cannot be used.
    """
    sync.refresh(engine)
    who = viewer(engine, context, chosen or options(engine, context.row.cwd, trusted=trusted), trusted=trusted)
    with engine.history.read():
        return Fold(
            tuple(memory.listed(engine.history, "memory", who, everything=True)),
            tuple(memory.listed(engine.history, "pin", who, everything=True)),
            mutations.refused(engine.history, who.session, who.project),
        )


def freshened(engine: Engine) -> tuple[str, ...]:
    """Bring what is stored up to date before a call is planned; what kept that from being done, if anything.

    Not waited for long: a call that is planned with the memory of a moment ago is better than one that is late.
    """
    try:
        sync.refresh(engine, wait_ms=WAIT_MS)
    except BackstoryError as error:
        return (f"memory may be out of date: {error}",)
    return ()


def pins(engine: Engine, who: Viewer, context: Context) -> list[Kept]:
    """The active pins that apply to a call, oldest first."""
    listed = memory.listed(engine.history, "pin", who, everything=False)
    return memory_select.pins(listed, session=who.session, project=who.project, branch=context.branch_ids)


def memories(engine: Engine, who: Viewer, terms: Sequence[str]) -> Iterator[MemoryMatch]:
    """Memories for a request with these query terms, best first; when none shares a word, those for continuity."""
    if memory.nothing(engine.history):
        return
    matching = memory.matching(engine.history, who, terms, memory_select.WEIGHTS)
    first = next(matching, None)
    if first is None:
        yield from memory_select.continuity(memory.newest(engine.history, who, memory_select.CONTINUITY))
        return
    for match in chain((first,), matching):
        yield MemoryMatch(match.item, tuple(terms[number] for number in match.terms), match.keyed)


def warnings(engine: Engine, who: Viewer) -> tuple[str, ...]:
    """Mutation records of the session and its project that do not count, a line each."""
    return Fold(refused=mutations.refused(engine.history, who.session, who.project)).warnings
