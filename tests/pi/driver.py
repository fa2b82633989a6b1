"""Drives the real Pi: one person with folders of their own, who runs it once, or keeps it open over its RPC mode."""

import json
import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.fakes.model_server import ModelServer, Step, Talk

TOOLS = Path(__file__).resolve().parents[2] / ".tools"
NODE = TOOLS / "node" / "node_modules" / ".bin" / "node"
VERSIONS = {"1.6.0": TOOLS / "pi-1.6", "0.84.3": TOOLS / "pi-0.84"}
PATIENCE = 60
# How long Pi waits for a plan where a test is not about that, in milliseconds: a busy machine is no reason to fail.
UNHURRIED = "30000"
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{21,22}")
_VARYING = frozenset({"id", "parentId", "timestamp", "durationMs", "responseId", "toolsAdded", "usage"})


def cli(version: str) -> Path:
    """The program of a version."""
    return VERSIONS[version] / "node_modules" / "@earendil-works" / "pi-coding-agent" / "dist" / "bundle" / "cli.js"


class Person:
    """Somebody with a home, a project and a model, who uses one version of Pi."""

    def __init__(self, version: str, root: Path, server: ModelServer, token: str, window: int = 128_000) -> None:
        self.version = version
        self.root = root
        self.work = root / "work"
        self.agent = root / "agent"
        self.talk: Talk = server.talk(token)
        for folder in (self.work, self.agent, root / "home", root / "data"):
            folder.mkdir(parents=True, exist_ok=True)
        self.env = {
            "PATH": f"{NODE.parent}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(root / "home"),
            "PI_CODING_AGENT_DIR": str(self.agent),
            "BACKSTORY_HOME": str(root / "data"),
            "BACKSTORY_PI_TRACE": str(root / "trace.txt"),
            "BACKSTORY_PI_DEADLINE_MS": UNHURRIED,
            "PI_OFFLINE": "1",
            "PI_TELEMETRY": "0",
            "PI_SKIP_VERSION_CHECK": "1",
        }
        self._models(server.url(token), window)

    def _models(self, url: str, window: int) -> None:
        compat = {"supportsDeveloperRole": False, "supportsStore": False}
        price = {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0}
        models = [
            {"id": name, "name": name, "reasoning": False, "input": ["text"], "contextWindow": size, "maxTokens": 4096}
            | {"cost": price}
            for name, size in (("small", window), ("large", 4 * window))
        ]
        provider = {"name": "Script", "baseUrl": url, "apiKey": "none", "api": "openai-completions", "compat": compat}
        settings = {"providers": {"script": provider | {"models": models}}}
        (self.agent / "models.json").write_text(json.dumps(settings), encoding="utf-8")
        chosen = {"defaultProvider": "script", "defaultModel": "small", "compaction": {"keepRecentTokens": 2_000}}
        (self.agent / "settings.json").write_text(json.dumps(chosen), encoding="utf-8")

    def backstory(self, *words: str) -> subprocess.CompletedProcess[str]:
        """Runs `backstory` in the project."""
        command = [sys.executable, "-m", "backstory", *words]
        return subprocess.run(
            command, cwd=self.work, env=self.env, capture_output=True, check=False, encoding="utf-8", timeout=PATIENCE
        )

    def install(self, *words: str) -> None:
        """Puts the extension into Pi."""
        done = self.backstory("pi", "install", *words)
        assert done.returncode == 0, done.stderr

    def help(self) -> None:
        """Puts another extension beside ours, which is loaded before it."""
        folder = self.agent / "extensions"
        folder.mkdir(exist_ok=True)
        (folder / "a-helper.ts").write_bytes((Path(__file__).parent / "helper.ts").read_bytes())

    def command(self, *words: str) -> list[str]:
        """The command line of Pi."""
        return [str(NODE), str(cli(self.version)), *words]

    def run(self, *words: str, steps: list[Step] | None = None) -> subprocess.CompletedProcess[str]:
        """Runs Pi once, in print mode unless told otherwise."""
        self.talk.steps[:] = steps or []
        done = subprocess.run(
            self.command("-p", *words),
            cwd=self.work,
            env=self.env,
            capture_output=True,
            check=False,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, (done.stdout, done.stderr)
        return done

    @contextmanager
    def open(self, *words: str) -> Iterator["Conversation"]:
        """Pi in RPC mode, ended at the end of the block."""
        talk = Conversation(self, words)
        try:
            yield talk
        finally:
            talk.close()

    def logs(self) -> list[Path]:
        """Session files, the oldest first."""
        return sorted((self.agent / "sessions").rglob("*.jsonl"))

    def entries(self, path: Path | None = None) -> list[dict[str, Any]]:
        """The entries of a session file, by default the newest."""
        data = (path or self.logs()[-1]).read_bytes()
        return [json.loads(line) for line in data.split(b"\n") if line][1:]

    def sidecars(self) -> list[int]:
        """Process ids of the Python processes that serve this person's Pi."""
        found = []
        for folder in Path("/proc").iterdir():
            with suppress(OSError, ValueError):
                words = (folder / "cmdline").read_bytes().split(b"\0")
                mine = f"BACKSTORY_HOME={self.root / 'data'}".encode() in (folder / "environ").read_bytes().split(b"\0")
                if mine and b"rpc" in words and b"backstory" in words:
                    found.append(int(folder.name))
        return found

    def left(self, count: int = 0) -> list[int]:
        """The processes that are there once they are so many, or after a long while."""
        end = time.monotonic() + PATIENCE
        while len(found := self.sidecars()) != count and time.monotonic() < end:
            time.sleep(0.05)
        return found

    def masked(self, value: Any) -> list[str]:
        """Values as JSON without what differs between any two runs: ids, times, folders, token counts, our tools."""
        return [self._masked(one) for one in value]

    def _masked(self, value: Any) -> str:
        text = json.dumps(_bare(value)).replace(str(self.root), "ROOT")
        return _UUID.sub("ID", text)


def _bare(value: Any) -> Any:
    """A JSON value without ids and times."""
    if isinstance(value, dict):
        return {key: _bare(item) for key, item in value.items() if key not in _VARYING}
    return [_bare(item) for item in value] if isinstance(value, list) else value


class Conversation:
    """One Pi process in RPC mode."""

    def __init__(self, person: Person, words: tuple[str, ...]) -> None:
        self.person = person
        self._errors = (person.root / "pi-errors.txt").open("ab")
        self.process = subprocess.Popen(
            person.command("--mode", "rpc", *words),
            cwd=person.work,
            env=person.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
        )
        self.seen: list[dict[str, Any]] = []
        self.confirms = True
        self.asked: list[dict[str, Any]] = []
        self.notes: list[str] = []
        self._lines: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._number = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(json.loads(line))
        self._lines.put(None)

    def send(self, message: dict[str, Any]) -> None:
        """Writes one message."""
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def wait(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next message of a kind; questions are answered on the way."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            message = self._lines.get(timeout=max(0.01, end - time.monotonic()))
            assert message is not None, "Pi ended"
            self.seen.append(message)
            if message.get("type") == "extension_ui_request":
                self._ask(message)
            if wanted(message):
                return message
        raise AssertionError(f"waited in vain; last: {self.seen[-3:]}")

    def _ask(self, message: dict[str, Any]) -> None:
        if message["method"] == "confirm":
            self.asked.append(message)
            self.send({"type": "extension_ui_response", "id": message["id"], "confirmed": self.confirms})
        elif message["method"] == "notify":
            self.notes.append(message["message"])

    def do(self, kind: str, **fields: Any) -> dict[str, Any]:
        """One command and its response."""
        self._number += 1
        name = f"c{self._number}"
        self.send({"id": name, "type": kind, **fields})
        answer = self.wait(lambda message: message.get("type") == "response" and message.get("id") == name)
        assert answer["success"], answer
        data = answer.get("data")
        return data if isinstance(data, dict) else {}

    def prompt(self, text: str, steps: list[Step] | None = None) -> None:
        """A prompt, and everything up to the end of the turn."""
        self.person.talk.steps[:] = steps or []
        self.do("prompt", message=text)
        self.wait(lambda message: message.get("type") == "agent_settled")

    def command(self, line: str) -> str:
        """A command of an extension, and what it told the person."""
        before = len(self.notes)
        self.do("prompt", message=line)
        end = time.monotonic() + PATIENCE
        while len(self.notes) == before and time.monotonic() < end:
            with suppress(queue.Empty):
                message = self._lines.get(timeout=0.2)
                assert message is not None, "Pi ended"
                if message.get("type") == "extension_ui_request":
                    self._ask(message)
        return "\n".join(self.notes[before:])

    def kill(self) -> None:
        """Ends Pi at once, as `kill -9` does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def close(self) -> int:
        """Ends Pi by the end of its input; gives its exit code."""
        assert self.process.stdin is not None
        with suppress(OSError):
            self.process.stdin.close()
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait(PATIENCE)
        finally:
            self._errors.close()
            if self.process.stdout is not None:
                self.process.stdout.close()
