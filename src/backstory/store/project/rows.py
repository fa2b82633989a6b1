"""What goes into a project's database and comes out of it: a file, what it holds, and the state of the whole.

Neighbours: `store.project.database` stores it, `index.projects` and `index.project_file` make it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from backstory.records.project import Listed, Revision, Snippet, Symbol

# Stands between the chunks of a file in the full-text index; no tokenizer or stemmer changes it.
CUT = "zqchunkcut"


class KnownFile(NamedTuple):
    """What the index knows of a file without its content; times in nanoseconds, `blob` a Git object id."""

    path: str
    id: int
    size: int
    mtime: int
    ctime: int
    status: str
    blob: str | None
    tracked: int
    modified: int
    reason: str | None


class FileRow(msgspec.Struct, gc=False):
    """A file as it is stored; `hash` is None for an excluded one."""

    path: str
    size: int
    mtime: int
    ctime: int
    tracked: bool
    modified: bool
    indexed_at: int
    hash: str | None = None
    blob: str | None = None
    language: str | None = None
    status: str = "current"
    reason: str | None = None


class FileContent(msgspec.Struct, gc=False):
    """What a current file brings: its chunks as they are stored, declarations, words of its path and body."""

    chunks: Sequence[Snippet]
    symbols: Sequence[Symbol]
    path_words: str
    body: str


class IndexState(msgspec.Struct, frozen=True):
    """The state row: what Git said, the commit up to which history was read, a counter of changes, what was listed.

    `rules` is the version of those by which every file was read, 0 where some were read by unknown ones.
    """

    revision: Revision
    history_head: str | None = None
    number: int = 0
    listed: Listed | None = None
    rules: int = 0
