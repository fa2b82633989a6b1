"""What project commands are asked: one record per operation, fields become flags."""

from typing import Annotated

from msgspec import Meta as Help

from backstory.records.base import Record
from backstory.records.project import Detail, FileEntry, SourceItem

Root = Annotated[str | None, Help(description="the project's folder (default: the one around the current folder)")]
Once = Annotated[bool, Help(description="trust the project for this command only")]


class ProjectIndexRequest(Record, frozen=True, kw_only=True):
    """Bring the index of a project up to date; unchanged files are not read."""

    root: Root = None
    trust_once: Once = False
    force: Annotated[bool, Help(description="read every file again")] = False


class ProjectSearchRequest(Record, frozen=True, kw_only=True):
    """Find the source that a request is about: the best ranges of the best files, as the files are now."""

    query: Annotated[tuple[str, ...], Help(description="what is wanted, in words", extra={"positional": True})]
    root: Root = None
    limit: Annotated[int | None, Help(description="most files, 1 to 200 (default: 8 with text, 12 listed)")] = None
    budget: Annotated[int, Help(description="most tokens of text")] = 20_000
    trust_once: Once = False
    no_sync: Annotated[bool, Help(description="do not look for new files first")] = False


class ProjectStatusRequest(Record, frozen=True, kw_only=True):
    """Say whether a project is trusted and what its index holds."""

    root: Root = None


class ProjectTrustRequest(Record, frozen=True, kw_only=True):
    """Allow a project's files to be read and indexed."""

    root: Root = None


class ProjectUntrustRequest(Record, frozen=True, kw_only=True):
    """Take trust back and delete the project's index."""

    root: Root = None


class ProjectFilesRequest(Record, frozen=True, kw_only=True):
    """List indexed files."""

    prefix: Annotated[tuple[str, ...], Help(description="only below this path", extra={"positional": True})] = ()
    root: Root = None
    limit: Annotated[int, Help(description="most files, 1 to 1000000")] = 1000
    trust_once: Once = False


class ProjectSymbolsRequest(Record, frozen=True, kw_only=True):
    """List the declarations of a file, or find declarations by name."""

    name: Annotated[str, Help(description="a path, or a simple or qualified name", extra={"positional": True})]
    root: Root = None
    trust_once: Once = False


class ProjectShowRequest(Record, frozen=True, kw_only=True):
    """Show lines of a live file: PATH, PATH:START-END, PATH:LINE with ten lines either side, or a declared name."""

    target: Annotated[str, Help(description="a path, as above, or a declared name", extra={"positional": True})]
    root: Root = None
    trust_once: Once = False


class ProjectEvalRequest(Record, frozen=True, kw_only=True):
    """Measure search on the repository's own history: commit messages ask, changed files are the truth."""

    root: Root = None
    commits: Annotated[int, Help(description="most commits to ask about")] = 100
    budget: Annotated[int, Help(description="most tokens of text per query")] = 20_000
    trust_once: Once = False


class ProjectWatchRequest(Record, frozen=True, kw_only=True):
    """Keep the index of a project warm while its files change."""

    root: Root = None
    seconds: Annotated[
        float | None, Help(description="stop after this long, at most a year (default: when interrupted)")
    ] = None
    trust_once: Once = False


class ProjectTrust(Record, frozen=True):
    """A decision about a root."""

    root: str
    trust: str


class ProjectFiles(Record, frozen=True):
    """Indexed files in path order; `versioned` says that Git was asked which of them differ from the last commit."""

    root: str
    files: tuple[FileEntry, ...]
    more: bool = False
    versioned: bool = False


class FoundSymbol(Record, frozen=True):
    """A declaration in a verified file."""

    path: str
    sha256: str
    detail: Detail


class ProjectSymbols(Record, frozen=True):
    """Declarations, by path and line; `near` are paths and names that may have been meant where there is none."""

    root: str
    symbols: tuple[FoundSymbol, ...]
    near: tuple[str, ...] = ()


class ProjectShown(Record, frozen=True):
    """Lines of live files."""

    root: str
    items: tuple[SourceItem, ...]


class ProjectWatched(Record, frozen=True):
    """What a watch did before it ended."""

    root: str
    rounds: int
    refreshed: int
