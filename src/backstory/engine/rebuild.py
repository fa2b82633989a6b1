"""Starting anew: deletes everything derived and indexes again."""

import shutil

from backstory.config.paths import derived_folder, history_path
from backstory.engine.index import sync, told
from backstory.engine.open import Engine
from backstory.records.indexing import IndexReport, RebuildRequest
from backstory.store.history import refuse_foreign


def rebuild(engine: Engine, _request: RebuildRequest) -> IndexReport:
    """Deletes everything derived and indexes again; sessions whose file is gone are lost by this.

    Raises:
        ForeignDatabaseError: another program's database lies where ours should; nothing was deleted.
    """
    engine.close()
    refuse_foreign(history_path(engine.home))
    shutil.rmtree(derived_folder(engine.home), ignore_errors=True)
    start = engine.clock()
    return told(sync(engine), engine.clock() - start)
