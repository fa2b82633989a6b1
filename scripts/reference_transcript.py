"""Makes the transcripts in the documentation by running the commands over the samples, in a data folder of their own.

They run on a terminal, since that is what a person sees: what a pipe gets is never cut.

What differs from run to run or from machine to machine is written in one way: paths below the repository are relative,
a cursor is cut short, and the time that indexing took is left out.
"""

import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SAMPLES = ("claude-code", "codex", "gemini", "pi")
INDEX = ("index", *(word for name in SAMPLES for word in ("--root", f"{name}=samples/{name}")))
QUESTION = "why did we drop the retry"
WIDTH = "100"
CURSOR = re.compile(r"(--cursor [\w-]{4})[\w-]+")
SECONDS = re.compile(r"^done in [0-9.]+ s\n", re.MULTILINE)


def readme() -> str:
    """The question of the README and its answer."""
    return _block(("search", "--limit", "2", QUESTION), ("search", "--sessions", "--limit", "1", "database is locked"))


def quick_start() -> str:
    """Indexing, listing, searching, reading."""
    return _block(
        INDEX,
        ("sessions", "--limit", "5"),
        ("search", "--limit", "2", QUESTION),
        ("show", "019c8b82", "--entry", "eda767c5", "--before", "1", "--after", "0"),
    )


def redaction() -> str:
    """What is left of a credential."""
    return _block(("search", "--limit", "1", "HARBOUR_SIGNING_SECRET"))


def literal() -> str:
    """A literal search, inside a word too."""
    return _block(("search", "--exact", "--limit", "1", "SQLITE_BUSY_SNAP"))


def _block(*commands: tuple[str, ...]) -> str:
    told = "\n\n".join(f"$ backstory {shlex.join(words)}\n{_output(words)}" for words in commands)
    return f"```console\n{told}\n```"


@cache
def _data() -> Path:
    """A data folder over the samples; lives as long as the process."""
    holder = tempfile.TemporaryDirectory(prefix="backstory-docs-")
    _holders.append(holder)
    folder = Path(holder.name)
    _run(folder, INDEX)
    return folder


_holders: list[tempfile.TemporaryDirectory[str]] = []


def _output(words: tuple[str, ...]) -> str:
    if words == INDEX:
        with tempfile.TemporaryDirectory(prefix="backstory-docs-") as folder:
            text = _run(Path(folder), words)
    else:
        text = _run(_data(), words)
    text = SECONDS.sub("", text).replace(f"{ROOT}/", "")
    return CURSOR.sub(r"\1…", text).rstrip()


def _run(folder: Path, words: tuple[str, ...]) -> str:
    env = {
        "PATH": os.environ["PATH"], "HOME": str(folder), "BACKSTORY_HOME": str(folder / "data"), "TERM": "dumb",
        "BACKSTORY_PAGER": "cat", "COLUMNS": WIDTH, "LINES": "50", "PYTHONUTF8": "1",
    }  # fmt: skip
    command = [sys.executable, "-m", "backstory", *words]
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, env=env, cwd=ROOT, stdout=theirs) as done:
        os.close(theirs)
        output = b"".join(_pieces(ours))
    os.close(ours)
    if done.returncode:
        sys.exit(f"reference: backstory {shlex.join(words)} ended with {done.returncode}")
    return output.decode().replace("\r\n", "\n")


def _pieces(terminal: int) -> Iterator[bytes]:
    """What a terminal is sent, until nobody holds its other end."""
    with suppress(OSError):
        while piece := os.read(terminal, 65_536):
            yield piece
