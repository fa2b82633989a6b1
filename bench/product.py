"""The few calls of the product that are measured, so that every figure goes through the same door."""

import os
from collections.abc import Sequence
from pathlib import Path

from backstory.index.look import Report, look
from backstory.index.sync import Sync
from backstory.sources import registry
from backstory.sources.discover import Place
from backstory.store.history import History, open_history

REAL = ("claude-code", "gemini")


def index(history: History, places: Sequence[tuple[str, Path]]) -> Report:
    """Brings a store up to date with (source, folder) places, as every search does before it answers."""
    names = dict.fromkeys(name for name, _ in places)
    sources = [registry.load(name) for name in names]
    suffixes = tuple({suffix for source in sources for suffix in source.location.suffixes})
    seen = look(history, [Place(name, str(path)) for name, path in places], suffixes)
    return Sync(history, sources).run(seen)


def fresh(path: Path) -> History:
    """An empty store at a path."""
    drop(path)
    return open_history(str(path))


def drop(path: Path) -> None:
    """Removes a database with its journal."""
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").unlink(missing_ok=True)


def settle(history: History) -> int:
    """Moves the journal into the database and gives the bytes on disk."""
    history.db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    return os.path.getsize(history.path)
