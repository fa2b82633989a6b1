"""What a search or listing may be narrowed to. Fields are ANDed, values of one field ORed, None means "any".

Ranges are inclusive (low, high) with None for an open end; times are Unix milliseconds.
"""

from backstory.records.base import Record

Range = tuple[int | None, int | None]


class SessionFilter(Record, frozen=True):
    """Conditions on a session; `projects` are parts of its working directory; available is live, present or missing."""

    ids: tuple[str, ...] | None = None
    sources: tuple[str, ...] | None = None
    cwds: tuple[str | None, ...] | None = None
    parents: tuple[str | None, ...] | None = None
    origins: tuple[str, ...] | None = None
    availability: tuple[str, ...] | None = None
    created: Range | None = None
    projects: tuple[str, ...] | None = None


class EntryFilter(Record, frozen=True):
    """Conditions on an entry; `session` is the store's key; `paths` and `tools` are parts of what the entry names.

    `text` is a literal piece of its text, for scans only: letters match in either case, blanks match any run of blanks.
    """

    session: int | None = None
    seq: Range | None = None
    time: Range | None = None
    kinds: tuple[str, ...] | None = None
    roles: tuple[str, ...] | None = None
    surfaces: tuple[str, ...] | None = None
    paths: tuple[str, ...] | None = None
    tools: tuple[str, ...] | None = None
    text: str | None = None
