"""Memory and pins: what people asked to keep, as the mutations that canonical records hold and as folded state."""

from typing import Any

from backstory.records.base import Record

MEMORY_TYPE, PIN_TYPE = "ds4-context-memory-v1", "ds4-context-pin-v1"


class Mutation(Record, frozen=True):
    """One mutation record as it stands in a session or in the ledger.

    `time` is that of the entry itself (None when it has none), `order` its place among all entries of its file,
    `parent` the branch leaf when it was appended, `payload` the unchecked `data`. `project` is the canonical root that
    the session belongs to, `ready` whether the session can be read and is not excluded.
    """

    type: str
    session: str
    entry: str
    order: int
    payload: Any
    time: int | None = None
    parent: str | None = None
    project: str | None = None
    file: str | None = None
    ready: bool = True

    @property
    def key(self) -> str:
        """What names the mutation everywhere."""
        return f"{self.session}:{self.entry}"


class Kept(Record, frozen=True):
    """A memory or a pin after the fold. `kind` is memory or pin, `text` the claim or the content.

    Status is active, superseded, invalid or expired for a memory, active, superseded or deleted for a pin. `leaf` is
    the entry that a branch pin hangs on, `sources` the entries it rests on, its own mutation first.
    """

    kind: str
    id: str
    scope: str
    text: str
    created: int
    session: str
    mutation: str
    status: str = "active"
    key: str | None = None
    project: str | None = None
    leaf: str | None = None
    branch: str | None = None
    file: str | None = None
    level: str = "normal"
    sources: tuple[str, ...] = ()
    source_file: str | None = None
    supersedes: str | None = None
    superseded_by: str | None = None
    contradicts: tuple[str, ...] = ()
    updated: int | None = None
    reason: str | None = None


class Refusal(Record, frozen=True):
    """Why a mutation, named by its key, did not count or changed nothing."""

    mutation: str
    reason: str


class Fold(Record, frozen=True):
    """All memories and pins in the order they were made, and what was wrong with mutations that did not count."""

    memories: tuple[Kept, ...] = ()
    pins: tuple[Kept, ...] = ()
    refused: tuple[Refusal, ...] = ()

    @property
    def warnings(self) -> tuple[str, ...]:
        """What was wrong, a line each."""
        return tuple(f"{one.mutation}: {one.reason}" for one in self.refused)


class MemorySource(Record, frozen=True):
    """A session log that holds mutation records of a project, and whether its project-scoped ones count.

    Status is ready, missing (the log is gone), corrupt (records cannot be read or are not those that were indexed),
    excluded (a person said so) or beyond (more sessions than are looked at). `project_mutations` are those among
    `mutations` that concern the whole project.
    """

    session: str
    path: str
    status: str
    records: int
    mutations: int
    project_mutations: int
    malformed: int
    error: str | None = None
    reason: str | None = None
