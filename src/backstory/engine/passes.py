"""A pass over places: what changed is seen from stamps, and read only if there is any.

`engine.indexing.index` passes over all places of an engine at once, `engine.query.mounts` over one after the other.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING

from backstory.engine.loading import load
from backstory.errors import UnreadableSourceError
from backstory.index.look import Report, look
from backstory.sources import registry
from backstory.sources.discover import Place, Unreadable
from backstory.store.history import History

if TYPE_CHECKING:
    from backstory.index.sync import Forgotten, Sync


def over(
    history: History,
    places: Sequence[Place],
    *,
    forgotten: "Callable[[], Forgotten]",
    late: Callable[[], bool],
    clock: Callable[[], float],
    progress: Callable[[int, int, int, int], None] = lambda *_: None,
) -> Report:
    """Reads what is new or changed below some places; the arguments are those of `index.sync.Sync`.

    Raises:
        CancelledError: `late` says that the caller gave up.
    """
    try:
        paths, _ = forgotten()
    except UnreadableSourceError as error:
        return untold(error)
    seen = look(history, places, _suffixes(), paths)
    if seen.idle:
        return seen.report
    work: type[Sync] = load("index.sync:Sync")
    sources = [registry.load(name) for name in registry.names()]
    return work(history, sources, late=late, progress=progress, clock=clock, forgotten=forgotten).run(seen)


def untold(error: UnreadableSourceError) -> Report:
    """The report of a pass that reads nothing: without a readable ledger nobody can tell what was forgotten."""
    return Report(problems=[Unreadable(error.path, f"{error.reason}; nothing is indexed without it")])


@cache
def _suffixes() -> tuple[str, ...]:
    return tuple(sorted({suffix for location in registry.locations() for suffix in location.suffixes}))
