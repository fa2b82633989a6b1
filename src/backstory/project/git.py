"""Asks Git about a work tree without letting the repository run anything.

A repository's own configuration may name programs: hooks, file-system monitors, filters, text converters, pagers,
signature checkers, transports. Only commands that compare no file contents are used, so that no filter is needed;
everything else is switched off on the command line, which wins over any configuration file, and the environment is
built from nothing. Every failure reads as "no Git here". Neighbours: `walk` does without Git, `discover` chooses.
"""

import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path

import msgspec

TIMEOUT_SECONDS = 10.0
OUTPUT_BYTES = 64 * 1024 * 1024
DEEPEST_SUBMODULE = 4
# Of a commit that adds and removes more files than this, only those of equal content are seen to have moved.
MOST_MOVED = 400
_SETTINGS = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.attributesFile=/dev/null",
    "core.untrackedCache=false",
    "core.sshCommand=false",
    "core.askPass=false",
    "core.quotePath=false",
    "core.alternateRefsCommand=false",
    "credential.helper=",
    "diff.external=",
    "gc.auto=0",
    "log.showSignature=false",
    "maintenance.auto=false",
    "protocol.allow=never",
    "submodule.recurse=false",
)
# One tagged record: of a tracked path mode, blob and stage come first, of another only a question mark. Records are
# taken one after the other, so that no name can pass for the beginning of a record.
_LISTED = re.compile(r"(?:\? |[^?\0] (\d{3})\d{3} ([0-9a-f]+) \d\t)([^\0]*)\0")
_REPOSITORY_HEAD = b"/HEAD\0"
_OPTIONS = ("--no-pager", "--no-optional-locks", "--literal-pathspecs", "--no-replace-objects")
_KEPT = ("PATH", "HOME", "XDG_CONFIG_HOME", "SYSTEMROOT")
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ASKPASS": "false",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
    "SSH_ASKPASS": "false",
}


class Head(msgspec.Struct, frozen=True):
    """Where a work tree stands: `top` is its canonical root, `commit` None before the first one.

    `shallow` says that the history of the clone was cut off.
    """

    top: str
    branch: str | None
    commit: str | None
    shallow: bool = False


class Listing(msgspec.Struct):
    """Tracked paths with their blob ids and untracked, not ignored paths, relative to the asked folder.

    `nested` says that some of them may come from work trees inside of this one. `repositories` counts folders in which
    Git keeps a repository without a work tree, which it lists like any other; nothing in them is here.
    """

    tracked: dict[str, str] = msgspec.field(default_factory=dict)
    untracked: list[str] = msgspec.field(default_factory=list)
    nested: bool = False
    repositories: int = 0


class Commit(msgspec.Struct, frozen=True, gc=False):
    """One ancestor of HEAD: its message and the paths it touched below the asked folder, as the last commit calls them.

    `moved` are (before, after) of those that it moved.
    """

    id: str
    message: str
    paths: tuple[str, ...]
    moved: tuple[tuple[str, str], ...] = ()


def run(root: Path, *arguments: str) -> bytes | None:
    """Standard output of one Git command run in `root`; None on any failure, timeout or flood."""
    output, code = _run(root, *arguments)
    return output if code == 0 else None


def run_with_input(root: Path, data: bytes, *arguments: str) -> bytes | None:
    """`run` for a command that reads its standard input from a temporary file, so that neither side can block."""
    with tempfile.TemporaryFile() as stream:
        stream.write(data)
        stream.seek(0)
        output, code = _run(root, *arguments, stdin=stream.fileno())
    return output if code == 0 else None


def _run(root: Path, *arguments: str, stdin: int = subprocess.DEVNULL) -> tuple[bytes, int]:
    program = _program(root)
    if program is None:
        return b"", 127
    # Trust in a root stands for Git's own, which asks who owns it.
    settings = (*_SETTINGS, f"safe.directory={root}")
    command = [program, *_OPTIONS, *(word for setting in settings for word in ("-c", setting)), *arguments]
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    try:
        process = subprocess.Popen(  # noqa: S603 - an absolute program and fixed options
            command,
            cwd=root,
            env=environment | _ENVIRONMENT,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
    except OSError:
        return b"", 127
    timer = threading.Timer(TIMEOUT_SECONDS, process.kill)
    timer.start()
    try:
        with process:
            output = process.stdout.read(OUTPUT_BYTES + 1) if process.stdout else b""
            if len(output) > OUTPUT_BYTES:
                process.kill()
                return b"", 1
        return output, process.returncode
    finally:
        timer.cancel()


def _program(root: Path) -> str | None:
    """Git from an absolute folder of PATH that does not lie inside the project."""
    found = shutil.which("git")
    if found is None or not Path(found).is_absolute() or Path(found).is_relative_to(root):
        return None
    return found


def head(root: Path) -> Head | None:
    """The state of the work tree around `root`; None outside Git or when the work tree is somewhere else."""
    asked = ("--show-toplevel", "--is-shallow-repository", "HEAD", "--symbolic-full-name", "HEAD")
    output, code = _run(root, "rev-parse", *asked)
    lines = os.fsdecode(output).split("\n")
    top = os.path.realpath(lines[0]) if lines[0] else ""
    if not top or not root.is_relative_to(top):
        return None
    if code == 0 and len(lines) >= 4:
        branch = lines[3].removeprefix("refs/heads/")
        return Head(top, None if branch == "HEAD" else branch, lines[2], shallow=lines[1] == "true")
    name = run(root, "symbolic-ref", "-q", "HEAD")
    return Head(top, os.fsdecode(name).strip().removeprefix("refs/heads/") if name else None, None)


def listed(root: Path, only: Sequence[str] = ()) -> bytes | None:
    """What Git prints of every tracked and untracked, not ignored path below `root`; of `only` these, if given."""
    return run(root, "ls-files", "-z", "-t", "--stage", "--cached", "--others", "--exclude-standard", "--", *only)


def listing(root: Path, output: bytes | None, depth: int = 0) -> Listing | None:
    """What `listed` gave, taken apart, and all that lies below in submodules and nested work trees."""
    if output is None:
        return None
    found = Listing()
    nested = []
    for mode, blob, path in _LISTED.findall(os.fsdecode(output)):
        if mode == "100":
            found.tracked[path] = blob
        elif mode == "160" or (not mode and path.endswith("/")):
            nested.append(path.rstrip("/"))
        elif not mode:
            found.untracked.append(path)
    if _REPOSITORY_HEAD in output:
        _leave_repositories(found, root)
    for folder in nested if depth < DEEPEST_SUBMODULE else ():
        _add_nested(found, root, folder, depth)
    found.nested = bool(nested)
    return found


def _leave_repositories(found: Listing, root: Path) -> None:
    heads = [path for path in (*found.tracked, *found.untracked) if path.endswith("/HEAD")]
    folders = [path.removesuffix("HEAD") for path in heads]
    bare = tuple(one for one in folders if all((root / one / part).is_dir() for part in ("objects", "refs")))
    found.repositories = len(bare)
    found.tracked = {path: blob for path, blob in found.tracked.items() if not path.startswith(bare)}
    found.untracked = [path for path in found.untracked if not path.startswith(bare)]


def _add_nested(found: Listing, root: Path, folder: str, depth: int) -> None:
    inner = root / folder
    if os.path.realpath(inner) != str(inner) or not os.path.lexists(inner / ".git"):
        return
    below = listing(inner, listed(inner), depth + 1)
    if below is not None:
        found.tracked.update((f"{folder}/{path}", blob) for path, blob in below.tracked.items())
        found.untracked.extend(f"{folder}/{path}" for path in below.untracked)
        found.repositories += below.repositories


def clean_stats(root: Path, only: Sequence[str] = ()) -> dict[str, tuple[int, int, int]]:
    """Size, mtime and ctime (ns) under which Git's index knows each tracked file, or each of `only`, to be its blob's.

    The bytes need not be the blob's: a filter, or ends of lines that were asked for, may stand between them.
    """
    output = run(root, "ls-files", "-z", "--cached", "--debug", "--", *only)
    known: dict[str, tuple[int, int, int]] = {}
    if output is None:
        return known
    path = ""
    times = {"ctime": 0, "mtime": 0}
    # A record is the path, NUL, then five indented lines; the next path follows the last line break.
    for piece in os.fsdecode(output).split("\0"):
        lines = piece.split("\n")
        for line in lines[:5]:
            field, _, value = line.strip().partition(": ")
            if field in times:
                seconds, _, nanoseconds = value.partition(":")
                times[field] = int(seconds) * 1_000_000_000 + int(nanoseconds)
            elif field == "size":
                known[path] = (int(value.split("\t")[0]), times["mtime"], times["ctime"])
        path = "\n".join(lines[5:]) if len(lines) > 5 else piece
    return known


def staged(root: Path) -> set[str]:
    """Paths whose entry in Git's index differs from HEAD."""
    output = run(
        root, "diff-index", "-z", "--cached", "--name-only", "--no-renames", "--no-ext-diff", "--relative", "HEAD"
    )
    return set(os.fsdecode(output).split("\0")) - {""} if output else set()


def straight(root: Path, until: str, start: str, most: int) -> bool:
    """Whether up to `most` commits with one parent each lead from `until` to `start`."""
    listed = run(root, "rev-list", "--parents", f"--max-count={most}", start, f"^{until}", "--") or b""
    expected = start
    for line in listed.decode().splitlines():
        commit, _, parent = line.partition(" ")
        if commit != expected:
            return False
        expected = parent
    return expected == until


def history(root: Path, limit: int, start: str = "HEAD", until: str | None = None) -> list[Commit] | None:
    """Up to `limit` commits, newest first, that are `start` or its ancestors and not `until` or its ancestors.

    Merges are passed over: what they bring stands in the commits of their branches.
    """
    asked = (f"--max-count={limit}", start, *((f"^{until}",) if until else ()), "--")
    # To tell what moved Git may need blobs that a partial clone lacks.
    output = _log(root, "--find-renames", f"-l{MOST_MOVED}", *asked)
    if output is None:
        output = _log(root, "--no-renames", *asked)
    if output is None:
        return None
    commits: list[Commit] = []
    names: dict[str, str] = {}
    for record in output.decode("utf-8", "replace").split("\x01")[1:]:
        parts = record.split("\x02", 2)
        if len(parts) == 3:
            paths, moved = _touched(parts[2].lstrip("\0\n").split("\0"))
            commits.append(Commit(parts[0], parts[1].strip(), tuple(names.get(path, path) for path in paths), moved))
            names |= {before: names.get(after, after) for before, after in moved}
    return commits


def _log(root: Path, *arguments: str) -> bytes | None:
    return run(
        root,
        "log",
        "-z",
        "--no-merges",
        "--name-status",
        "--relative",
        "--no-ext-diff",
        "--no-textconv",
        "--no-show-signature",
        "--no-mailmap",
        "--format=%x01%H%x02%B%x02",
        *arguments,
    )


def _touched(fields: Sequence[str]) -> tuple[list[str], tuple[tuple[str, str], ...]]:
    """Paths of a commit as it left them, and the moves, of fields that are a status and one path, or two of a move."""
    paths: list[str] = []
    moved: list[tuple[str, str]] = []
    rest = iter(fields)
    for status in rest:
        before = next(rest, "")
        after = next(rest, "") if status.startswith("R") else before
        if after:
            paths.append(after)
            if after != before:
                moved.append((before, after))
    return paths, tuple(moved)
