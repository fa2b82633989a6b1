"""Project knowledge: declarations, line ranges, evidence and what a search of live source gives back.

Lines are 1-based and inclusive. Hashes are lower-case hex SHA-256 of the bytes of the whole file. Paths are relative
to the canonical root and use `/`.
"""

import msgspec

from backstory.records.base import Record


class Symbol(Record, frozen=True):
    """One declaration. `qualified` is the chain of enclosing declarations joined by dots, `start` its own line."""

    name: str
    qualified: str
    kind: str
    start: int
    end: int
    signature: str = ""
    parent: str | None = None


class Detail(Record, frozen=True):
    """What is worked out only for shown declarations: what the file imports and what the declaration refers to."""

    symbol: Symbol
    imports: tuple[str, ...] = ()
    references: tuple[str, ...] = ()


class Chunk(Record, frozen=True):
    """A range of lines that is ranked and quoted as one; `symbol` is the qualified name of its first declaration."""

    start: int
    end: int
    symbol: str | None = None
    kind: str | None = None


class Snippet(Chunk, frozen=True, array_like=True):
    """A chunk as it is stored, with its token estimate and the bytes where it begins and stops.

    Bytes are counted from behind a byte order mark. They are 0 in a file that is not shown byte by byte as it is: one
    with privacy markers, a credential or malformed text.
    """

    tokens: int = 0
    begin: int = 0
    stop: int = 0


class Revision(Record, frozen=True):
    """What Git said when the index was last synchronised; all None outside Git. `head` is a hex commit id."""

    git_root: str | None = None
    branch: str | None = None
    head: str | None = None
    dirty: bool = False
    changed: tuple[str, ...] = ()
    indexed_at: int | None = None


class Listed(Record, frozen=True):
    """What Git listed when the index held exactly that: a digest of it, and how many paths were left out by name."""

    mark: str
    excluded: dict[str, int] = msgspec.field(default_factory=dict)


class SourceItem(Record, frozen=True):
    """One contiguous range of a live file, verified when it was made; `text` is the range as it was then.

    `symbol` and `kind` say what it is called by; a whole file of several declarations is of the kind `file`, without
    a symbol. `lines` are those of its lines that a request named, by number or by what is declared there.
    """

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
    level: str = "normal"
    score: float = 0.0
    lines: tuple[int, ...] = ()


class RankedFile(Record, frozen=True):
    """One file of a ranking and why it is there."""

    path: str
    reason: str
    score: float = 0.0


class SourceEvidence(Record, frozen=True):
    """A quoted range for a model call: `id` names the source, `text` is the whole message with its boundary.

    `level` is the highest privacy level that markers anywhere in the file claim. `why` says without a word of the
    request why the file was found; `commit` has the file as it is, `symbol` is declared in the range.
    """

    id: str
    path: str
    start_line: int
    end_line: int
    sha256: str
    tokens: int
    score: float
    text: str
    level: str = "normal"
    why: str = ""
    modified: bool = False
    commit: str | None = None
    symbol: str | None = None


class SyncReport(Record, frozen=True):
    """What one synchronisation did, in files.

    `unchanged` are those of `files` that were not indexed anew; `excluded` counts reasons for files that were left out.
    """

    files: int = 0
    read: int = 0
    indexed: int = 0
    unchanged: int = 0
    removed: int = 0
    excluded: dict[str, int] = msgspec.field(default_factory=dict)
    truncated: bool = False
    warnings: tuple[str, ...] = ()


class SearchResult(Record, frozen=True):
    """The answer to one search: ranges of verified files and the ranking they come from.

    `status` is `ranked`, `no-query` (the request names nothing specific), `empty` or `untrusted`.
    """

    status: str
    items: tuple[SourceItem, ...] = ()
    files: tuple[RankedFile, ...] = ()
    revision: Revision = Revision()
    warnings: tuple[str, ...] = ()


class ProjectStatus(Record, frozen=True):
    """What is known of a project without reading any of it; only `root` and `trust` of an untrusted one.

    `trust` is `trusted` or `untrusted` and speaks of what was said to Backstory itself; `hosted` says that an
    index of it is kept all the same: for the calls of an agent that trusts it, or of one allowed command. `stale`
    counts files that changed and could not be indexed again yet.
    """

    root: str
    trust: str
    hosted: bool = False
    indexed: bool = False
    files: int = 0
    snippets: int = 0
    symbols: int = 0
    stale: int = 0
    modified: int = 0
    excluded: dict[str, int] = msgspec.field(default_factory=dict)
    revision: Revision = Revision()
    database_bytes: int = 0
    warnings: tuple[str, ...] = ()


class FileEntry(Record, frozen=True):
    """One indexed file."""

    path: str
    language: str | None
    size: int
    sha256: str | None
    tracked: bool
    modified: bool
    status: str
