"""Something that could not be read, told beside whatever could."""

from backstory.records.base import Record


class Problem(Record, frozen=True):
    """A path and the reason."""

    path: str
    reason: str
