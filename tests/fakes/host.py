"""A host that keeps one Pi session on disk and carries steps out as the extension in Pi does, or badly on purpose."""

import json
from pathlib import Path
from typing import Any

import msgspec

from backstory.engine.host import commands
from backstory.engine.host import resume as host_steps
from backstory.engine.host import tools as host_tools
from backstory.engine.open import Engine
from backstory.records.budget import Model
from backstory.records.host import Append, Appended, Confirm, Confirmed, HostCall, Say, Step

ELSEWHERE, LOCAL = Model("anthropic", "claude", 200_000), Model("ollama", "qwen", 32_000)


class Clock(Engine):
    """An engine whose time, in Unix milliseconds, is set by hand."""

    time = 1_773_486_000_000

    def now(self) -> int:
        return self.time


class FakeHost:
    """One running host.

    `answers` are a person's, in turn, False when there are none left. `append` says what becomes of an append: done,
    lost (done, and the host reports an error), failed (not done) or moved.
    """

    def __init__(self, engine: Engine, folder: Path, *, session: str = "s1", cwd: str = "/srv/app") -> None:
        self.engine = engine
        self.file = folder / f"2026-03-14T00-00-00-000Z_{session}.jsonl"
        self.session, self.cwd = session, cwd
        self.leaf: str | None = None
        self.ui, self.trusted, self.ephemeral = True, True, False
        self.model: Model | None = ELSEWHERE
        self.answers: list[bool] = []
        self.asked: list[Confirm] = []
        self.append = "done"
        self.count = 0
        if not self.file.exists():
            self._write({"type": "session", "version": 3, "id": session, "timestamp": _iso(0), "cwd": cwd})

    @property
    def call(self) -> HostCall:
        return HostCall(
            session=self.session, file=str(self.file), leaf=self.leaf, cwd=self.cwd, trusted=self.trusted, mode="tui",
            ui=self.ui, model=self.model, ephemeral=self.ephemeral,
        )  # fmt: skip

    def say(self, text: str, role: str = "user", **fields: Any) -> str:
        """Adds a message to the session; gives its id."""
        message = {"role": role, "content": [{"type": "text", "text": text}], **fields}
        return self.entry({"type": "message", "message": message})

    def entry(self, record: dict[str, Any]) -> str:
        """Adds any entry to the session; gives its id."""
        self.count += 1
        name = f"e{self.count:04}"
        self._write({"id": name, "parentId": self.leaf, "timestamp": _iso(self.count), **record})
        self.leaf = name
        return name

    def command(self, line: str) -> Say:
        """What a person sees after typing `/context` and a line."""
        return self.follow(commands.run(self.engine, self.call, line))

    def tool(self, name: str, **arguments: Any) -> Say:
        """What a model sees after calling a tool."""
        return self.follow(host_tools.run(self.engine, self.call, name, arguments))

    def follow(self, step: Step) -> Say:
        """Carries steps out until something is said."""
        while not isinstance(step, Say):
            answer = self._confirm(step) if isinstance(step, Confirm) else self._append(step)
            step = host_steps.resume(self.engine, step.token, answer)
        return step

    def mutations(self) -> list[dict[str, Any]]:
        """The custom entries in the session."""
        records = map(json.loads, self.file.read_text(encoding="utf-8").splitlines())
        return [record for record in records if record["type"] == "custom"]

    def _confirm(self, step: Confirm) -> Confirmed:
        self.asked.append(step)
        return Confirmed(self.call, self.ui and bool(self.answers) and self.answers.pop(0))

    def _append(self, step: Append) -> Appended:
        if self.append == "moved" or (step.leaf is not None and step.leaf != self.leaf):
            return Appended(self.call, problem="moved")
        if self.append == "failed":
            return Appended(self.call, problem="failed")
        made = tuple(self.entry({"type": "custom", **_fields(one)}) for one in step.entries)
        return Appended(self.call, made, "failed" if self.append == "lost" else None)

    def _write(self, record: dict[str, Any]) -> None:
        with self.file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")


def _fields(entry: Any) -> dict[str, Any]:
    made: dict[str, Any] = msgspec.to_builtins(entry)
    return made


def _iso(number: int) -> str:
    return f"2026-03-14T{number // 3600:02}:{number // 60 % 60:02}:{number % 60:02}.000Z"
