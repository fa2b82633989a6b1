"""Work that can wait until the host waits: reading logs into the index, a project's index, loading code.

Jobs have names, whose first word is their kind; one that is asked for again while it waits is done once. A job is
stopped when a call comes in and begun again later; what it had finished by then is kept by whoever does the work. What
fails is told in `Engine.failed`, which `/context status` shows.
"""

from collections.abc import Callable

from backstory.engine.open import Engine
from backstory.errors import BackstoryError, CancelledError

MOST_TRIES = 50


class Work:
    """The jobs of one host, oldest first."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._jobs: dict[str, Callable[[], object]] = {}
        self._tries: dict[str, int] = {}

    def add(self, name: str, job: Callable[[], object]) -> None:
        """Do this when there is time; replaces a job of the same name that still waits."""
        self._jobs[name] = job

    def waits(self, name: str) -> bool:
        """Whether a job of this name is still to be done."""
        return name in self._jobs

    def run(self, busy: Callable[[], bool]) -> bool:
        """Does one job, or as much of it as fits before `busy` is true; False when there is none."""
        if not self._jobs:
            return False
        self._do(next(iter(self._jobs)), busy)
        return True

    def now(self, name: str) -> None:
        """Does the job of this name, if it waits, before anything else."""
        if name in self._jobs:
            self._do(name, lambda: False)

    def _do(self, name: str, busy: Callable[[], bool]) -> None:
        job = self._jobs.pop(name)
        stopped, self._engine.cancelled = self._engine.cancelled, busy
        try:
            job()
        except CancelledError:
            self._again(name, job)
        except BackstoryError as error:
            self._failed(name, str(error))
        except Exception as error:  # noqa: BLE001 - work nobody waits for may not end the host's process
            self._failed(name, f"{type(error).__name__}: {error}")
        else:
            self._engine.failed.pop(_kind(name), None)
            self._tries.pop(name, None)
        finally:
            self._engine.cancelled = stopped

    def _failed(self, name: str, why: str) -> None:
        self._tries.pop(name, None)
        self._engine.failed[_kind(name)] = why

    def _again(self, name: str, job: Callable[[], object]) -> None:
        """Put a stopped job back, unless it was stopped too often or asked for anew meanwhile."""
        tries = self._tries.get(name, 0) + 1
        self._tries[name] = tries
        if tries <= MOST_TRIES:
            self._jobs.setdefault(name, job)


def _kind(name: str) -> str:
    return name.split(" ", 1)[0]
