"""What a mutation record says, as we write it: the shapes are shared with programs that read the same sessions.

Field order is that of the JSON. What others wrote is read by `plan.memory.mutations`, which tolerates more than this.
"""

from backstory.records.base import Record


class Scoped(Record, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """Where an item holds: `scope` is session, branch (with its leaf) or project (with its path)."""

    scope: str
    project_path: str | None = None
    branch_leaf_id: str | None = None


class PinItem(Scoped, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A text that every call holds."""

    id: str
    content: str
    created_at: int
    classification: str
    source_entry_id: str | None = None
    source_file: str | None = None


class MemoryItem(Scoped, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A claim that is remembered, and the entries it rests on."""

    id: str
    claim: str
    created_at: int
    source_entry_ids: list[str]
    classification: str
    key: str | None = None


class Made(Record, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A new item; with `previous_id` it supersedes another one."""

    operation: str
    previous_id: str | None = None
    item: PinItem | MemoryItem


class Ended(Record, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """The end of a pin or of a memory; `status` says which."""

    operation: str
    pin_id: str | None = None
    memory_id: str | None = None
    status: str
    reason: str | None = None
