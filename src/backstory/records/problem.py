"""Something that could not be read, told beside whatever could."""

from backstory.records.base import Record


class Problem(Record, frozen=True):
    """A path and the reason."""

    path: str
    reason: str


class Damage(Record, frozen=True):
    """A record of a log that could not be read and was skipped.

    `line` is 1-based, `offset` in bytes of the log as it is read; an `oversized` record was whole but too large.
    """

    path: str
    line: int
    offset: int
    reason: str
    oversized: bool
