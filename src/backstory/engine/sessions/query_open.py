"""Opens the query service of an engine: the one place where the service meets the engine's own wiring."""

from collections.abc import Callable
from contextlib import suppress

from backstory.engine.indexing.index import forgotten
from backstory.engine.indexing.places import added_places, default_places, remember_place
from backstory.engine.open import MEMORY, Engine
from backstory.engine.query.mounts import Surroundings
from backstory.engine.query.service import QueryService
from backstory.errors import UnreadableSourceError
from backstory.index.live import LiveSessions
from backstory.records.query import QueryOptions
from backstory.sources.discover import Place
from backstory.store.history import History


def opened(
    engine: Engine, path: str, live: LiveSessions, options: QueryOptions | None, shared: Callable[[], History] | None
) -> QueryService:
    """The service of an engine, over all the places it knows."""
    places = default_places(engine)
    with suppress(UnreadableSourceError):  # without a readable ledger no pass reads anything, and each says so
        places = added_places(engine) + places

    def remember(place: Place) -> None:
        if path != MEMORY and place not in default_places(engine):
            with suppress(UnreadableSourceError):
                remember_place(engine, place)

    around = Surroundings(engine.clock, lambda: forgotten(engine), remember)
    return QueryService(path, live, places, options or QueryOptions(), shared=shared, around=around)
