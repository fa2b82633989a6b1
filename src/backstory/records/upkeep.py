"""Verifying, forgetting, and reports on size and health; sizes in bytes."""

from typing import Annotated

from msgspec import Meta as Help

from backstory.records.base import Record
from backstory.records.problem import Damage, Problem
from backstory.records.session_name import SESSION


class VerifyRequest(Record, frozen=True, kw_only=True):
    """Hash whole files again and find what the cheap check cannot see."""

    repair: Annotated[bool, Help(description="read the sessions that differ again")] = False


class Difference(Record, frozen=True):
    """A session whose file no longer says what was indexed; `seq` is the first entry that differs."""

    source: str
    session_id: str
    path: str
    seq: int
    reason: str


class VerifyReport(Record, frozen=True):
    """What verification found. `damage` are the first 20 records that were skipped when the logs were indexed.

    `missing` sessions have no file any more that could be compared.
    """

    sessions: int
    bytes: int
    differences: tuple[Difference, ...]
    repaired: int
    problems: tuple[Problem, ...] = ()
    damage: tuple[Damage, ...] = ()
    missing: int = 0


class ForgetRequest(Record, frozen=True, kw_only=True):
    """Drop sessions from the index for good."""

    session: Annotated[tuple[str, ...], SESSION] = ()
    missing: Annotated[bool, Help(description="forget every session whose file is gone")] = False


class Forgotten(Record, frozen=True):
    """What was dropped."""

    sessions: tuple[str, ...]


class StorageRequest(Record, frozen=True, kw_only=True):
    """Report sizes and counts; changes nothing."""


class TableSize(Record, frozen=True):
    """Bytes one table or index takes."""

    name: str
    bytes: int


class StorageRow(Record, frozen=True):
    """Something else that is kept: how many, their bytes, and how many there may be (of samples, for each model)."""

    name: str
    count: int
    bytes: int
    most: int | None = None


class StorageReport(Record, frozen=True):
    """What our files hold and how large they are, in bytes."""

    home: str
    database: int
    wal: int
    page_size: int
    pages: int
    free_pages: int
    sessions: int
    missing: int
    entries: int
    searchable: int
    malformed: int
    generation: int
    schema_version: int
    tables: tuple[TableSize, ...]
    kept: tuple[StorageRow, ...] = ()


class VacuumRequest(Record, frozen=True, kw_only=True):
    """Give the space that deleted rows left back to the disk; what is stored stays as it is."""


class VacuumedFile(Record, frozen=True):
    """Bytes of one database before and after, with its write-ahead log."""

    path: str
    before: int
    after: int


class Vacuumed(Record, frozen=True):
    """The databases that were written anew, the history first, and those that could not be."""

    files: tuple[VacuumedFile, ...]
    problems: tuple[Problem, ...] = ()


class HealthRequest(Record, frozen=True, kw_only=True):
    """Check the index; changes nothing."""


class Check(Record, frozen=True):
    """One finding: `status` is ok, warn or fail."""

    name: str
    status: str
    detail: str


class HealthReport(Record, frozen=True):
    """`status` is the worst of the checks; `ok` says that the database itself is sound."""

    status: str
    ok: bool
    checks: tuple[Check, ...]
