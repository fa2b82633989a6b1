"""The few calls of the product that are measured, so that every figure goes through the same door: the engine."""

import shutil
from collections.abc import Sequence
from pathlib import Path

from backstory.engine.indexing.index import index, sync
from backstory.engine.open import Engine, open_engine
from backstory.engine.sessions.search import find
from backstory.records.indexing import IndexReport, IndexRequest
from backstory.records.searching import SearchPage, SearchRequest
from bench import places

REAL = ("claude-code", "gemini")


def engine(home: Path) -> Engine:
    """An engine that knows no place but those it is given: the agents' own places are never read."""
    return open_engine(home, env={"HOME": str(places.cache("no-agents"))})


def fresh(home: Path) -> Engine:
    """An engine over an empty data folder."""
    shutil.rmtree(home, ignore_errors=True)
    return engine(home)


def fill(one: Engine, given: Sequence[tuple[str, Path]]) -> IndexReport:
    """Indexes (source, folder) places and remembers them."""
    roots = tuple(f"{name}={path}" for name, path in given)
    return index(one, IndexRequest(root=roots, only_roots=True))


def refresh(one: Engine) -> None:
    """What every search does before it answers: bring the index up to date with the places it knows."""
    sync(one, only_added=True)


def search(one: Engine, query: str, *, exact: bool = False, sessions: bool = False) -> SearchPage:
    """One page of results without a look for new entries."""
    return find(one, SearchRequest(query=(query,), exact=exact, sessions=sessions, no_sync=True))


def database(home: Path) -> Path:
    """The history database of a data folder."""
    return home / "derived" / "history.db"


def settle(one: Engine) -> int:
    """Moves the journal into the database and gives the bytes on disk."""
    one.history.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return Path(one.history.path).stat().st_size
