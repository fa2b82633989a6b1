"""What a running host tells of a session whose log is not, or not yet, on disk."""

import msgspec

from backstory.records.base import Record
from backstory.records.session import Facts


class LiveHeader(Record, frozen=True):
    """The facts of a live session that never change; a fact left None is not stated and contradicts nothing.

    `shape` and `rules` say how surfaces are folded (see `Facts`).
    """

    source: str
    id: str
    created: int | None = None
    cwd: str | None = None
    parent: str | None = None
    origin: str = "main"
    version: str | None = None
    seed_length: int | None = None
    delegation_depth: int = 0
    agent_preset: str | None = None
    shape: str = "line"
    rules: str = ""

    def facts(self) -> Facts:
        """The same as a parser starts from."""
        return Facts(
            id=self.id, cwd=self.cwd, created=self.created, parent=self.parent, origin=self.origin,
            version=self.version, shape=self.shape, rules=self.rules, seed_length=self.seed_length,
            delegation_depth=self.delegation_depth, agent_preset=self.agent_preset, models=[], state={},
        )  # fmt: skip


class Attached(msgspec.Struct, frozen=True):
    """A live session as it stands: how many events it has and the seq the next one will get at least."""

    source: str
    id: str
    events: int
    next_seq: int
