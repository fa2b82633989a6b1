"""What goes into a project's database and comes out of it: a file, and what it holds.

Neighbours: `store.project.files` stores it, `index.project_job` and `index.project_file` make it.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from backstory.records.project import Snippet, Symbol

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
