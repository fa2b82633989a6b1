"""A person's machine in a temporary folder, with the real command line over it."""

import contextlib
import fcntl
import io
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from backstory.surfaces.cli.main import main
from tests.fakes import logs


class Answer:
    """What a command did."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code = code
        self.out = out
        self.err = err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Desk:
    """Logs under `home`, our data under `data`; commands run in this process or in one of their own."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.data = root / "data"
        self.home.mkdir()
        self.clock = 1_000

    @property
    def database(self) -> Path:
        return self.data / "derived" / "history.db"

    @property
    def pi_folder(self) -> Path:
        return self.home / ".pi" / "agent" / "sessions"

    @property
    def claude_folder(self) -> Path:
        return self.home / ".claude" / "projects" / "-home-ada-shop"

    def pi(self, name: str, texts: Sequence[str], **header: Any) -> Path:
        """A Pi session where Pi keeps them."""
        return self.put(self.pi_folder / f"{name}.jsonl", logs.pi(name, texts, **header))

    def claude(self, name: str, texts: Sequence[str]) -> Path:
        """A Claude Code session where Claude Code keeps them."""
        return self.put(self.claude_folder / f"{name}.jsonl", logs.claude(name, texts))

    def put(self, path: Path, data: bytes) -> Path:
        """Writes a log with a time of its own."""
        self.clock += 1
        logs.write(path, data)
        os.utime(path, ns=(self.clock * 10**9, self.clock * 10**9))
        return path

    def env(self) -> dict[str, str]:
        named = {"HOME": str(self.home), "BACKSTORY_HOME": str(self.data), "PYTHONPATH": os.pathsep.join(sys.path)}
        return {**os.environ, **named}

    def run(self, *words: str) -> Answer:
        """A command in this process."""
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = main(words)
            except SystemExit as stop:
                code = int(stop.code or 0)
        return Answer(code, out.getvalue(), err.getvalue())

    def ask(self, *words: str) -> Any:
        """The JSON answer of a command that must succeed."""
        answer = self.run(words[0], "--json", *words[1:])
        assert answer.code == 0, answer.err
        return answer.json

    def start(self, *words: str, **more: Any) -> subprocess.Popen[str]:
        """A command in a process of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "backstory", *words],
            env=self.env(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", **more,
        )  # fmt: skip

    def spawn(self, *words: str, **more: Any) -> Answer:
        """The same, waited for."""
        process = self.start(*words, **more)
        out, err = process.communicate(timeout=60)
        return Answer(process.returncode, out, err)

    def terminal(self, *words: str, columns: int = 80, env: Mapping[str, str] | None = None) -> str:
        """What a command shows on a terminal of so many columns."""
        # Libraries of a test runner may have put a width of their own into the environment.
        given = {name: value for name, value in self.env().items() if name not in {"COLUMNS", "LINES"}}
        given |= {"TERM": "dumb", "BACKSTORY_PAGER": "cat", **(env or {})}
        ours, theirs = pty.openpty()
        fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
        command = [sys.executable, "-m", "backstory", *words]
        out = b""
        with subprocess.Popen(command, env=given, stdin=theirs, stdout=theirs, stderr=theirs) as process:
            os.close(theirs)
            with contextlib.suppress(OSError):  # nobody holds the other end any more
                while piece := os.read(ours, 65_536):
                    out += piece
            process.wait(timeout=60)
        os.close(ours)
        return out.decode().replace("\r\n", "\n")

    def hits(self, *words: str) -> list[Any]:
        """The entries a search finds."""
        found: list[Any] = self.ask("search", *words)["items"]
        return found

    def snapshot(self) -> dict[str, tuple[int, bytes]]:
        """Modification time and bytes of every file of the person."""
        return {
            str(path): (path.stat().st_mtime_ns, path.read_bytes())
            for path in sorted(self.home.rglob("*"))
            if path.is_file() and not path.is_symlink()
        }
