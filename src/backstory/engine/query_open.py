"""Opens the query service of an engine: the one place where the service meets the engine's own wiring."""

from collections.abc import Callable

from backstory.engine.open import Engine
from backstory.engine.places import added_places, default_places
from backstory.engine.query import QueryService
from backstory.index.live import LiveSessions
from backstory.records.query import QueryOptions
from backstory.store.history import History


def opened(
    engine: Engine, path: str, live: LiveSessions, options: QueryOptions | None, shared: Callable[[], History] | None
) -> QueryService:
    """The service of an engine, over all the places it knows."""
    places = added_places(engine) + default_places(engine)
    return QueryService(path, live, places, options or QueryOptions(), clock=engine.clock, shared=shared)
