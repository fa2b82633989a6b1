"""Engines that know the logs of one place and of no other."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backstory.engine.indexing.index import index
from backstory.engine.open import Engine, open_engine
from backstory.records.indexing import IndexRequest


@contextmanager
def indexed(folder: Path, logs: Path, source: str = "pi") -> Iterator[Engine]:
    """An engine over a data folder that has read the logs of an agent at a place; its home is the folder above."""
    with open_engine(folder, env={"HOME": str(folder.parent)}) as engine:
        take_in(engine, logs, source)
        yield engine


def take_in(engine: Engine, logs: Path, source: str = "pi") -> None:
    """Read the logs of an agent at a place, and at those that were added before."""
    index(engine, IndexRequest(root=(f"{source}={logs}",), only_roots=True))
