"""Reads trees and commits of a repository's past straight from its object store, for measuring search on real changes.

Blobs are taken as they are stored: no filter, no converter, no work tree. Neighbours: `git` runs the commands safely.
"""

import os
import re
from pathlib import Path

import msgspec

from backstory.project.git import run, run_with_input

_HUNK = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@", re.MULTILINE)
_TRAILER = re.compile(r"(?mi)^(?:signed-off-by|co-authored-by|reviewed-by|change-id|fixes|refs)\s*:.*$")


class PastCommit(msgspec.Struct, frozen=True):
    """One commit with a single parent: that parent, its message, the old line ranges it changed per path.

    `moved` are the paths that it added or removed.
    """

    commit: str
    parent: str
    message: str
    hunks: dict[str, tuple[tuple[int, int], ...]]
    moved: tuple[str, ...] = ()


def steps(root: Path, most: int) -> list[PastCommit]:
    """The newest commits with one parent, those of merged branches among them, none before its own ancestors."""
    listed = run(root, "rev-list", "--date-order", "--no-merges", f"--max-count={most}", "--parents", "HEAD", "--")
    found = []
    for line in (listed or b"").decode().splitlines():
        commit, _, parent = line.partition(" ")
        if parent and " " not in parent:
            message = run(root, "log", "-1", "--no-show-signature", "--no-mailmap", "--format=%B", commit, "--") or b""
            text = _TRAILER.sub("", message.decode("utf-8", "replace")).strip()
            found.append(PastCommit(commit, parent, text, _hunks(root, parent, commit), _moved(root, parent, commit)))
    return found[::-1]


def _hunks(root: Path, parent: str, commit: str) -> dict[str, tuple[tuple[int, int], ...]]:
    """Old line ranges of files modified in place; an insertion is the empty range after its line."""
    patch = run(
        root,
        "diff-tree",
        "-p",
        "-U0",
        "--no-renames",
        "--no-ext-diff",
        "--no-textconv",
        "--diff-filter=M",
        "--relative",
        "--no-color",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        parent,
        commit,
        "--",
    )
    found: dict[str, tuple[tuple[int, int], ...]] = {}
    for part in (patch or b"").split(b"\ndiff --git ")[0:] if patch else ():
        name = re.search(rb"^--- a/(.*)$", part, re.MULTILINE)
        if name:
            ranges = [(int(at), int(count or b"1")) for at, count in _HUNK.findall(part)]
            found[os.fsdecode(name[1])] = tuple((at, at + max(0, count - 1)) for at, count in ranges)
    return found


def _moved(root: Path, parent: str, commit: str) -> tuple[str, ...]:
    what = ("-r", "-z", "--name-only", "--no-renames", "--diff-filter=AD", "--relative")
    listed = run(root, "diff-tree", *what, parent, commit, "--")
    return tuple(path for path in os.fsdecode(listed or b"").split("\0") if path)


def tree(root: Path, commit: str) -> dict[str, str]:
    """Paths and blob ids of a commit's regular files."""
    listed = run(root, "ls-tree", "-r", "-z", commit, "--") or b""
    found = {}
    for record in os.fsdecode(listed).split("\0"):
        entry, tab, path = record.partition("\t")
        if tab and entry.startswith("100"):
            found[path] = entry.split(" ")[2]
    return found


def blobs(root: Path, ids: list[str]) -> dict[str, bytes]:
    """The bytes of blobs by id."""
    output = run_with_input(root, "".join(f"{name}\n" for name in ids).encode(), "cat-file", "--batch") or b""
    found = {}
    position = 0
    while position < len(output):
        end = output.index(b"\n", position)
        fields = output[position:end].split(b" ")
        position = end + 1
        if len(fields) == 3:
            size = int(fields[2])
            found[fields[0].decode()] = output[position : position + size]
            position += size + 1
    return found
