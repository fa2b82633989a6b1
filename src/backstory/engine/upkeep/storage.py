"""What our own files hold and how large they are: the history, and everything that is kept beside it."""

import os
from collections.abc import Iterator

from backstory.config.paths import derived_folder, history_path, projects_folder
from backstory.engine import settings
from backstory.engine.open import Engine
from backstory.records.upkeep import StorageReport, StorageRequest, StorageRow, TableSize
from backstory.store import counts, ledger, manifests
from backstory.store.folder import size
from backstory.store.objects import Objects


def storage(engine: Engine, _request: StorageRequest) -> StorageReport:
    """Sizes and counts; reads only."""
    path = history_path(engine.home)
    with engine.untouched() as reader, reader.history.read():
        pages = counts.pages(reader.history)
        rows = counts.counts(reader.history)
        tables = tuple(TableSize(*row) for row in counts.table_sizes(reader.history))
        generation = reader.history.generation()
        kept = tuple(_kept(reader))
    return StorageReport(
        engine.home,
        size(path),
        size(path + "-wal"),
        pages.bytes,
        pages.total,
        pages.free,
        *rows,
        generation,
        pages.version,
        tables,
        kept,
    )


def _kept(engine: Engine) -> Iterator[StorageRow]:
    planned, samples = manifests.sizes(engine.history)
    yield StorageRow("manifests", *planned, settings.effective(engine, None).config.manifests.keep)
    yield StorageRow("calibration samples", samples, 0, manifests.SAMPLES)
    yield StorageRow("tool results", *_files(Objects(derived_folder(engine.home)).root))
    yield StorageRow("project indexes", *_files(projects_folder(engine.home), ".db"))
    yield StorageRow("ledger", ledger.count(engine.home), ledger.size(engine.home))


def _files(folder: str | os.PathLike[str], ending: str = "") -> tuple[int, int]:
    """How many files of an ending lie below a folder, and the bytes of all files there."""
    count = total = 0
    for place, _, names in os.walk(folder):
        count += sum(name.endswith(ending) for name in names)
        total += sum(size(os.path.join(place, name)) for name in names)
    return count, total
