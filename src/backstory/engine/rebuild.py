"""Starting anew: deletes everything derived and indexes again."""

import os
import shutil
from contextlib import suppress

from backstory.config.paths import derived_folder, history_path
from backstory.engine import remaking
from backstory.engine.index import sync, told
from backstory.engine.open import Engine
from backstory.errors import BackstoryError, ReadOnlyDatabaseError
from backstory.records.indexing import IndexReport, RebuildRequest
from backstory.store import artifacts
from backstory.store.history import refuse_foreign


def rebuild(engine: Engine, _request: RebuildRequest) -> IndexReport:
    """Deletes everything derived and indexes again; sessions whose file is gone are lost by this.

    Tool results that plans referred to are made again from the logs.

    Raises:
        ForeignDatabaseError: another program's database lies where ours should; nothing was deleted.
        ReadOnlyDatabaseError: the old index cannot be deleted.
    """
    referred: list[str] = []
    with suppress(BackstoryError):
        referred = [one.id for one in artifacts.everything(engine.history)]
    engine.close()
    refuse_foreign(history_path(engine.home))
    shutil.rmtree(derived_folder(engine.home), ignore_errors=True)
    if os.path.exists(history_path(engine.home)):
        raise ReadOnlyDatabaseError(f"{history_path(engine.home)}: cannot be deleted")
    start = engine.clock()
    report = sync(engine)
    with suppress(BackstoryError):
        remaking.again(engine, referred)
    return told(report, engine.clock() - start)
