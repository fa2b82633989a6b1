"""The bare structure of an entry: all that branches, surfaces, turns and groups are computed from.

A node carries no text, so a whole session of nodes is cheap to load. Entries and rows of the store both reduce to it.
"""

import msgspec

from backstory.records.base import Record
from backstory.records.session import Draft, Kind

_CALLERS = frozenset({Kind.MESSAGE, Kind.TOOL_CALL, Kind.ERROR})


class Node(Record, frozen=True):
    """One entry; the fields mean what they mean in `Draft`. An `op` of edit that is not visible drops its target."""

    seq: int
    kind: str
    visible: bool = False
    entry_id: str | None = None
    parent_id: str | None = None
    sidechain: bool = False
    op: str | None = None
    target: str | None = None
    call_ids: tuple[str, ...] = ()

    @property
    def calls(self) -> tuple[str, ...]:
        """Ids of the tool calls this entry makes."""
        return self.call_ids if self.kind in _CALLERS else ()

    @property
    def answers(self) -> tuple[str, ...]:
        """Ids of the tool calls this entry answers."""
        return () if self.kind in _CALLERS else self.call_ids


class Tip(Record, frozen=True):
    """Where a session ends: what it takes to classify one more entry without its history. Survives JSON.

    `thread` is the sidechain mark of the session's main thread, None before the first entry; `led` says that the
    thread has a leaf. `ends` are ids of entries the next entry may hang on without moving the active branch, with
    their part in it: plain, or call or result of a tool exchange that is still open. `open_calls` are the ids of the
    calls made in that exchange.
    """

    shape: str
    rules: str
    thread: bool | None = None
    led: bool = False
    ends: dict[str, str] = msgspec.field(default_factory=dict)
    open_calls: tuple[str, ...] = ()


def of(draft: Draft, seq: int) -> Node:
    """The node of a draft that stands at `seq`."""
    return Node(
        seq, draft.kind, draft.visible, draft.entry_id, draft.parent_id, draft.sidechain, draft.op, draft.target,
        draft.call_ids,
    )  # fmt: skip
