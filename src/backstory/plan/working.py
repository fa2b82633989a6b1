"""The working set of a session: which exact values its history holds, where, how often and how recently.

Built entry by entry, so that a longer history costs only what is new. Text is cut into windows of about 110 characters;
five of them in a row are a passage, over which relevance to a request is measured. What to show of it is for `card` and
`coverage` to decide, what it is worth for `worth`.
"""

from array import array
from collections.abc import Sequence

import msgspec

from backstory.records.evidence import Said
from backstory.text import hashing
from backstory.text.values import PATH, Memo, command, pieces, values

WINDOW, PASSAGE = 110, 5
RULES = 1  # grows with every change of what is found in a text
HALF_LIFE, FILE_HALF_LIFE = 40_000, 20_000
_WEIGHT = {"call": 2.0, "user": 2.0, "assistant": 1.5, "result": 0.3}
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


class Kept(msgspec.Struct, array_like=True):
    """A working set without the entries it was made from."""

    names: list[tuple[str, str]]
    mass: list[float]
    last: list[int]
    home: list[str | None]
    entry: bytes
    start: bytes
    stop: bytes
    values: list[tuple[int, ...]]
    passages: list[int]
    places: list[int]
    files: dict[str, File]
    commands: dict[str, Run]
    pending: dict[str, tuple[str | None, str | None]]
    tokens: int


class WorkingSet:
    """Values, windows, files and commands of a history. Positions count the entries observed.

    `mass` of a value is the sum over its occurrences of their weight times 2 ** (place / HALF_LIFE), `place` being the
    tokens said before it: dividing by 2 ** (now / HALF_LIFE) gives its weight at any later time.
    """

    def __init__(self) -> None:
        self.said: list[Said] = []
        self.places: list[int] = []
        self.ids: dict[tuple[str, str], int] = {}
        self.names: list[tuple[str, str]] = []
        self.mass: list[float] = []
        self.last: list[int] = []
        self.home: list[str | None] = []
        self.window_entry = array("I")
        self.window_start = array("I")
        self.window_stop = array("I")
        self.window_values: list[tuple[int, ...]] = []
        self.passages: list[int] = []
        self.files: dict[str, File] = {}
        self.commands: dict[str, Run] = {}
        self.tokens = 0
        self._memo = Memo()
        self._pending: dict[str, tuple[str | None, str | None]] = {}

    def observe(self, said: Said) -> None:
        """Take in the next entry."""
        at = len(self.said)
        self.said.append(said)
        self.places.append(self.tokens)
        home = self._deeds(said, at)
        growth = _WEIGHT.get(said.voice, 1.0) * 2.0 ** (self.tokens / HALF_LIFE)
        for number, (start, stop) in enumerate(pieces(said.text, WINDOW)):
            held = values(said.text[start:stop], self._memo)
            found = [self._seen(value, at, growth * times, home) for value, times in held.items()]
            if number % PASSAGE == 0:
                self.passages.append(len(self.window_values))
            self.window_entry.append(at)
            self.window_start.append(start)
            self.window_stop.append(stop)
            self.window_values.append(tuple(found))
        self.tokens += len(said.text) // 4

    def _seen(self, value: tuple[str, str], at: int, growth: float, home: str | None) -> int:
        id_ = self.ids.get(value)
        if id_ is None:
            id_ = self.ids[value] = len(self.names)
            self.names.append(value)
            self.mass.append(0.0)
            self.last.append(at)
            self.home.append(home)
        self.mass[id_] += growth
        self.last[id_] = at
        if home is not None:
            self.home[id_] = home
        return id_

    def _deeds(self, said: Said, at: int) -> str | None:
        """Note what a call does to files and the shell, and how it ended; the file that an entry is about."""
        if said.voice == "result":
            return self._ended(said)
        if said.voice != "call":
            return None
        growth = 2.0 ** (self.tokens / FILE_HALF_LIFE)
        action, weight = _action(said.tool or "")
        for path in said.paths:
            file = self.files.setdefault(path, File())
            file.action, file.turn = action, said.turn
            file.edits += action == "edit"
            file.mass += weight * growth
        ran = None
        if said.command:
            ran = command(said.command)
            run = self.commands.setdefault(ran, Run())
            run.turn, run.last, run.outcome = said.turn, at, ""
            run.mass += growth
            self._paths_of(ran, said.turn, growth)
        home = said.paths[0] if len(said.paths) == 1 else None
        self._pending.update(dict.fromkeys(said.call_ids, (home, ran)))
        return home

    def _ended(self, said: Said) -> str | None:
        home = None
        for call in said.call_ids:
            home, ran = self._pending.pop(call, (None, None))
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

    def dump(self) -> bytes:
        """Everything but the entries themselves."""
        return msgspec.msgpack.encode(
            Kept(
                self.names,
                self.mass,
                self.last,
                self.home,
                self.window_entry.tobytes(),
                self.window_start.tobytes(),
                self.window_stop.tobytes(),
                self.window_values,
                self.passages,
                self.places,
                self.files,
                self.commands,
                self._pending,
                self.tokens,
            )
        )

    @classmethod
    def restored(cls, content: bytes, said: Sequence[Said]) -> "WorkingSet":
        """A dumped working set over the entries that it was made from.

        Raises:
            msgspec.DecodeError, ValueError: the content is not a dump.
        """
        kept = msgspec.msgpack.decode(content, type=Kept)
        made = cls()
        made.said = list(said)
        made.names, made.mass, made.last, made.home = kept.names, kept.mass, kept.last, kept.home
        made.ids = {name: id_ for id_, name in enumerate(kept.names)}
        made.window_entry.frombytes(kept.entry)
        made.window_start.frombytes(kept.start)
        made.window_stop.frombytes(kept.stop)
        made.window_values, made.passages, made.places = kept.values, kept.passages, kept.places
        made.files, made.commands, made.tokens = kept.files, kept.commands, kept.tokens
        made._pending = kept.pending
        return made

    def within(self, text: str) -> dict[tuple[str, str], int]:
        """The values in any text, with how often each stands there."""
        return values(text, self._memo)

    def visible_from(self, seq: int) -> int:
        """Position of the first entry whose sequence number is at least `seq`."""
        low, high = 0, len(self.said)
        while low < high:
            middle = (low + high) // 2
            if self.said[middle].seq < seq:
                low = middle + 1
            else:
                high = middle
        return low


def digest(said: Sequence[Said]) -> str:
    """What tells whether entries are still those that a working set was made from."""
    return hashing.of_value([RULES, *((one.seq, len(one.text), one.turn) for one in said)])


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
