"""What `context_persistence` tells programs of pins, memories and sources: names and states, never their texts."""

from backstory.records.base import Record


class ItemFacts(Record, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A pin or memory in a list; `applicable` says of a pin whether it is in force on the present branch."""

    id: str
    kind: str
    scope: str
    status: str
    classification: str
    created_at: int
    updated_at: int
    target_revision: str
    applicable: bool | None = None


class SourceFacts(Record, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A log that memory of the project comes from, under a name that only this process knows."""

    source_ref: str
    status: str
    records: int
    mutations: int
    project_mutations: int
    malformed: bool
    target_revision: str
    error_code: str | None = None


class KeptFacts(Record, frozen=True, kw_only=True, rename="camel"):
    """A pin or memory that was written, or was kept already."""

    id: str
    kind: str
    scope: str
    status: str
    classification: str
    target_revision: str


class DecidedFacts(Record, frozen=True, kw_only=True, rename="camel"):
    """What was decided of a source."""

    source_ref: str
    kind: str
    scope: str
    status: str


Listed = ItemFacts | SourceFacts
Written = KeptFacts | DecidedFacts
