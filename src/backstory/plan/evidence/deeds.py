"""What was done in a session: which files its calls touched and how, which commands ran and how they ended."""

from functools import lru_cache

import msgspec

from backstory.records.evidence import Said
from backstory.text.values import PATH, Memo, command, values

HALF_LIFE, _MOST_HALVES = 20_000, 1_000
_ACTIONS = (
    ("edit", 3.0, ("edit", "write", "patch", "replace", "create", "notebook")),
    ("grep", 0.5, ("grep", "glob", "search", "find", "ls", "list")),
    ("read", 1.5, ("read", "view", "open", "cat")),
)
_SHELL = (0.7, "shell")
_UNTOLD = frozenset(
    ("echo", "cat", "ls", "cd", "grep", "sed", "find", "head", "tail", "rg", "awk", "wc", "mkdir", "rm")
)


class File(msgspec.Struct, array_like=True):
    """One file: what was last done to it, how often it was edited, in which turn, and its weight by recency."""

    action: str = "named"
    edits: int = 0
    mass: float = 0.0
    turn: int = 0


class Run(msgspec.Struct, array_like=True):
    """One shell command: how it ended the last time, in which turn, its weight by recency and its last entry."""

    outcome: str = ""
    turn: int = 0
    mass: float = 0.0
    last: int = 0


class Deeds:
    """Files and commands by name, and the calls that were not answered yet: id to (file, command)."""

    def __init__(
        self,
        files: dict[str, File] | None = None,
        commands: dict[str, Run] | None = None,
        pending: dict[str, tuple[str | None, str | None]] | None = None,
    ) -> None:
        self.files = files if files is not None else {}
        self.commands = commands if commands is not None else {}
        self.pending = pending if pending is not None else {}
        self._memo = Memo()
        self._files: list[tuple[str, File]] | None = None
        self._commands: list[tuple[str, Run]] | None = None

    def ranked_files(self) -> list[tuple[str, File]]:
        """The files by weight, then by name."""
        if self._files is None:
            self._files = sorted(self.files.items(), key=lambda pair: (-pair[1].mass, pair[0]))
        return self._files

    def ranked_commands(self) -> list[tuple[str, Run]]:
        """The commands by weight, then as they are spelled."""
        if self._commands is None:
            self._commands = sorted(self.commands.items(), key=lambda pair: (-pair[1].mass, pair[0]))
        return self._commands

    def note(self, said: Said, at: int, tokens: int) -> str | None:
        """Note what the entry at a position did, `tokens` being said before it; gives the file that it is about."""
        if said.voice == "result":
            return self._ended(said)
        if said.voice != "call":
            return None
        growth = 2.0 ** min(tokens / HALF_LIFE, _MOST_HALVES)
        self._files = None
        action, weight = _action(said.tool or "")
        for path in said.paths:
            file = self.files.setdefault(path, File())
            file.action, file.turn = action, said.turn
            file.edits += action == "edit"
            file.mass += weight * growth
        ran = None
        if said.command:
            self._commands = None
            ran = command(said.command)
            run = self.commands.setdefault(ran, Run())
            run.turn, run.last, run.outcome = said.turn, at, ""
            run.mass += growth
            self._paths_of(ran, said.turn, growth)
        home = said.paths[0] if len(said.paths) == 1 else None
        self.pending.update(dict.fromkeys(said.call_ids, (home, ran)))
        return home

    def _ended(self, said: Said) -> str | None:
        home = None
        for call in said.call_ids:
            home, ran = self.pending.pop(call, (None, None))
            if ran is not None:
                self.commands[ran].outcome = "fail" if said.failed else "ok"
        return home

    def _paths_of(self, ran: str, turn: int, growth: float) -> None:
        weight, action = _SHELL
        for kind, value in values(ran, self._memo):
            if kind == PATH:
                file = self.files.setdefault(value, File())
                file.mass += weight * growth
                file.turn = turn
                if file.action == "named":
                    file.action = action


@lru_cache(4_096)
def telling(ran: str) -> str | None:
    """Program and subcommand of a command that is more than looking around, None for others."""
    words = ran.split()
    if not words or words[0] in _UNTOLD:
        return None
    return " ".join(words[:2]) if len(words) > 1 and words[1][:1].isalpha() else words[0]


def _action(tool: str) -> tuple[str, float]:
    name = tool.lower()
    for action, weight, marks in _ACTIONS:
        if any(mark in name for mark in marks):
            return action, weight
    return "used", 1.0
