"""Starting anew: indexes everything again and puts that in the place of whatever was derived before."""

import os
import shutil
from contextlib import closing, suppress
from pathlib import Path

import msgspec

from backstory.config.paths import derived_folder, history_path, unfinished
from backstory.engine.artifacts import remake
from backstory.engine.indexing.index import BUDGET_MS, sync, told
from backstory.engine.open import Engine
from backstory.errors import BackstoryError, ReadOnlyDatabaseError
from backstory.index.look import Report
from backstory.records.indexing import IndexReport, RebuildRequest
from backstory.store import artifacts, browse, ledger, manifests
from backstory.store.folder import AWAY, alone, idle, moving
from backstory.store.history import open_history, refuse_others
from backstory.store.manifests import Carried


def rebuild(engine: Engine, _request: RebuildRequest) -> IndexReport:
    """Indexes again and deletes what was derived before; sessions whose file is gone are lost by this.

    The new index is made beside the old one, which stays until the new one is whole. Manifests and what calibration
    learned are carried over; tool results that plans referred to are made again from the logs.

    Raises:
        ForeignDatabaseError, NewerDatabaseError: a database of another program, or of a newer Backstory, lies where
            ours should; nothing was deleted.
        UnreadableSourceError: the ledger cannot be read, so nobody knows what was forgotten; nothing was deleted.
        ReadOnlyDatabaseError, FullDiskError: no new index can be made; the old one is as it was.
    """
    for _ in ledger.read(engine.home):
        pass
    referred: list[str] = []
    before: set[tuple[str, str]] = set()
    with suppress(BackstoryError):
        before = browse.names(engine.history)
        referred = [one.id for one in artifacts.everything(engine.history)]
    engine.close()
    refuse_others(history_path(engine.home))
    start = engine.clock()
    with alone(engine.home):
        fresh = _fresh(engine.home)
        shutil.rmtree(fresh, ignore_errors=True)
        try:
            report, now, carried = _made(engine, fresh)
            swap(engine.home, fresh)
            _drop(engine, carried)
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    with suppress(BackstoryError):
        sync(engine, budget_ms=BUDGET_MS)  # what was written, or forgotten, while this went on
        remake.again(engine, referred)
    answer = told(report, engine.clock() - start)
    return msgspec.structs.replace(answer, dropped=len(before - now))


def _made(engine: Engine, folder: Path) -> tuple[Report, set[tuple[str, str]], Carried]:
    """Indexes into a folder; the report, the sessions that are in the new index, and the manifests carried over."""
    carried: Carried = {}
    place = str(folder / os.path.basename(history_path(engine.home)))
    with Engine(engine.home, engine.env, progress=engine.progress, cancelled=engine.cancelled, database=place) as new:
        report = sync(new)
        with suppress(BackstoryError), closing(open_history(history_path(engine.home), read_only=True)) as old:
            carried = manifests.carry(old, new.history)
        return report, browse.names(new.history), carried


def recover(home: str) -> None:
    """Moves back what a swap had moved away when it was killed; does nothing where none was."""
    place, old = Path(derived_folder(home)), _old(home)
    if not os.path.exists(old):
        return
    with alone(home), suppress(OSError):
        if not old.exists():
            return
        place.mkdir(mode=0o700, exist_ok=True)
        with moving(str(place)):
            for one in old.iterdir():
                if not (place / one.name).exists():
                    one.rename(place / one.name)
        shutil.rmtree(old, ignore_errors=True)
        shutil.rmtree(_fresh(home), ignore_errors=True)


def tidy(home: str) -> int:
    """Deletes what a killed rebuild left beside the index, unless a rebuild goes on now; gives the bytes of that."""
    with idle(home) as nobody:
        if not nobody:
            return 0
        left = [*map(Path, unfinished(home))]
        if os.path.exists(history_path(home)):  # else the one that was moved away is all there is
            left.append(_old(home))
        size = sum(file.stat().st_size for folder in left for file in folder.rglob("*") if file.is_file())
        for folder in left:
            shutil.rmtree(folder, ignore_errors=True)
        return size


def _old(home: str) -> Path:
    return Path(f"{derived_folder(home)}{AWAY}")


def _fresh(home: str) -> Path:
    return Path(unfinished(home)[0])


def _dropped(home: str) -> Path:
    return Path(unfinished(home)[1])


def swap(home: str, fresh: Path) -> None:
    """Puts a new folder in the place of the old one, which is moved back when that fails.

    While the old one bears the name that `recover` looks for, it is whole.
    """
    place = Path(derived_folder(home))
    old, dropped = _old(home), _dropped(home)
    try:
        for left in (old, dropped):
            shutil.rmtree(left, ignore_errors=True)
        place.mkdir(mode=0o700, exist_ok=True)
        with moving(str(place)):
            place.rename(old)
            try:
                fresh.rename(place)
            except OSError:
                old.rename(place)
                raise
    except OSError as error:
        raise ReadOnlyDatabaseError(f"{place}: cannot be replaced: {error.strerror}") from error
    with suppress(OSError):
        old.rename(dropped)


def _drop(engine: Engine, carried: Carried) -> None:
    """Deletes the old index once it gave what was saved in it after its manifests had been `carried` over."""
    dropped, place = _dropped(engine.home), history_path(engine.home)
    left = str(dropped / os.path.basename(place))
    with (
        suppress(BackstoryError),
        closing(open_history(left, read_only=True)) as old,
        closing(open_history(place)) as new,
    ):
        manifests.carry(old, new, carried)
    shutil.rmtree(dropped, ignore_errors=True)
