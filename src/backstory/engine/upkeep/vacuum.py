"""Making our databases as small as what they hold; nothing that they hold changes."""

import os

from backstory.config.paths import projects_folder
from backstory.engine.open import Engine
from backstory.errors import BackstoryError
from backstory.records.problem import Problem
from backstory.records.upkeep import Vacuumed, VacuumedFile, VacuumRequest
from backstory.store.project.database import existing
from backstory.store.vacuum import vacuum as shrink


def vacuum(engine: Engine, _request: VacuumRequest) -> Vacuumed:
    """Gives unused space of every index back to the disk; an index that cannot be had is told and left alone.

    Raises:
        LockedDatabaseError, FullDiskError, ReadOnlyDatabaseError: of the history; it is as it was.
    """
    history = engine.history
    history.require_room()
    done = [VacuumedFile(history.path, *shrink(history.db, history.path))]
    problems: list[Problem] = []
    for path in _projects(engine.home):
        try:
            if (found := existing(path)) is not None:
                with found as store:
                    done.append(VacuumedFile(path, *shrink(store.connection, path)))
        except BackstoryError as error:
            problems.append(Problem(path, str(error)))
    return Vacuumed(tuple(done), tuple(problems))


def _projects(home: str) -> list[str]:
    folder = projects_folder(home)
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return sorted(os.path.join(folder, name) for name in names if name.endswith(".db"))
