"""Project knowledge: declarations, line ranges, evidence and what a search of live source gives back.

Lines are 1-based and inclusive. Hashes are lower-case hex SHA-256 of the bytes of the whole file. Paths are relative
to the canonical root and use `/`.
"""

from backstory.records.base import Record


class Symbol(Record):
    """One declaration. `qualified` is the chain of enclosing declarations joined by dots, `start` its own line."""

    name: str
    qualified: str
    kind: str
    start: int
    end: int
    signature: str = ""
    parent: str | None = None


class Detail(Record):
    """What is worked out only for shown declarations: what the file imports and what the declaration refers to."""

    symbol: Symbol
    imports: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


class Chunk(Record):
    """A range of lines that is ranked and quoted as one; `symbol` is the qualified name of its first declaration."""

    start: int
    end: int
    symbol: str | None = None
    kind: str | None = None


class Revision(Record):
    """What Git said when the index was last synchronised; all None outside Git. `head` is a hex commit id."""

    git_root: str | None = None
    branch: str | None = None
    head: str | None = None
    dirty: bool = False
    changed: tuple[str, ...] = ()
    indexed_at: int | None = None


class SourceItem(Record):
    """One contiguous range of a live file, verified when it was made; `text` is the range as it was then."""

    path: str
    start_line: int
    end_line: int
    symbol: str | None
    kind: str | None
    sha256: str
    tokens: int
    reason: str
    text: str = ""
    modified: bool = False
    score: float = 0.0


class RankedFile(Record):
    """One file of a ranking and why it is there."""

    path: str
    reason: str
    score: float = 0.0


class SourceEvidence(Record):
    """A quoted range for a model call: `id` names the source, `text` is the whole message with its boundary."""

    id: str
    path: str
    start_line: int
    end_line: int
    sha256: str
    tokens: int
    score: float
    text: str


class SyncReport(Record):
    """What one synchronisation did, in files; `excluded` counts reasons for files that were left out."""

    files: int = 0
    read: int = 0
    indexed: int = 0
    unchanged: int = 0
    removed: int = 0
    excluded: dict[str, int] = {}
    truncated: bool = False
    warnings: tuple[str, ...] = ()
