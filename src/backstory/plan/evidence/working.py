"""The working set of a session: which exact values its history holds, where, how often and how recently.

Built entry by entry, so that a longer history costs only what is new, and without the texts themselves. Text is cut
into windows of about 110 characters; five of them in a row are a passage, over which relevance to a request is
measured. Of windows that hold the same values only the shortest is remembered. What to show of it is for `card` and
`coverage` to decide, what it is worth for `worth`.
"""

import math
from array import array
from bisect import bisect_left
from collections.abc import Sequence
from itertools import chain
from operator import sub

import msgspec

from backstory.plan.evidence.deeds import Deeds, File, Run
from backstory.plan.evidence.words import Words
from backstory.records.evidence import Said
from backstory.text.values import PATH, Memo, Value, inside, pieces, values

WINDOW, PASSAGE, HEADING = 110, 5, 16
RULES = 4  # grows with every change of what is found in a text
HALF_LIFE = 40_000
_WEIGHT = {"call": 2.0, "user": 2.0, "assistant": 1.5, "result": 0.3}
_MOST_TOKENS = 50_000
_LONGEST_WORD = 64
_MOST_HALVES = 1_000  # beyond so many half-lives, growth of a weight would leave the range of a float


class PackedSet(msgspec.Struct, array_like=True):
    """A working set as it is kept between plans: numbers as bytes."""

    seqs: bytes
    turns: bytes
    voices: list[str]
    entry_ids: list[str | None]
    names: list[Value]
    mass: bytes
    last: bytes
    home: list[str | None]
    best: bytes
    densest: bytes
    windows: list[tuple[int, ...]]
    window_entry: bytes
    window_start: bytes
    window_stop: bytes
    passages: list[tuple[int, ...]]
    passage_entry: bytes
    passage_end: bytes
    words: dict[str, bytes]
    files: dict[str, File]
    commands: dict[str, Run]
    pending: dict[str, tuple[str | None, str | None]]
    tokens: int


class _Ids(dict[str, tuple[int, ...]]):
    """The ids of the values inside each token between blanks; a value gets its id when it is first met."""

    def __init__(self, working: "WorkingSet") -> None:
        super().__init__()
        self._working = working

    def __missing__(self, token: str) -> tuple[int, ...]:
        if len(self) >= _MOST_TOKENS:
            self.clear()
        found = self[token] = tuple(map(self._working.id_of, inside(token)))
        return found


class WorkingSet:
    """Values, windows, files and commands of a history. Positions count the entries observed.

    `mass` of a value is the sum over its occurrences of their weight times 2 ** (place / HALF_LIFE), `place` being the
    tokens said before it: dividing by 2 ** (now / HALF_LIFE) gives its weight at any later time; `root` is its square
    root, and `brevity` of a value falls with its length. `window_cost` is the length of each window with its
    heading; `best` is the window that holds most values per character
    among those that hold a value, with `densest` values per character. `passage_end` counts the characters of all
    passages up to each one's end, `passage_length` those of each.
    """

    def __init__(self) -> None:
        self.seqs = array("Q")
        self.turns = array("I")
        self.voices: list[str] = []
        self.entry_ids: list[str | None] = []
        self.ids: dict[Value, int] = {}
        self.names: list[Value] = []
        self.mass: list[float] = []
        self.root: list[float] = []
        self.last: list[int] = []
        self.brevity: list[float] = []
        self.parts: list[tuple[str, ...]] = []
        self.best: list[int] = []
        self.densest: list[float] = []
        self.home: list[str | None] = []
        self.windows: list[tuple[int, ...]] = []
        self.window_entry = array("I")
        self.window_start = array("I")
        self.window_stop = array("I")
        self.window_cost: list[int] = []
        self.passages: list[tuple[int, ...]] = []
        self.passage_entry = array("I")
        self.passage_end = array("Q")
        self.passage_length: list[int] = []
        self.words = Words()
        self.deeds = Deeds()
        self.tokens = 0
        self._same: dict[tuple[int, ...], int] = {}
        self._found = _Ids(self)
        self._memo = Memo()

    def __len__(self) -> int:
        return len(self.seqs)

    def observe(self, said: Said) -> None:
        """Take in the next entry."""
        at = len(self.seqs)
        self.seqs.append(said.seq)
        self.turns.append(said.turn)
        self.voices.append(said.voice)
        self.entry_ids.append(said.entry_id)
        home = self.deeds.note(said, at, self.tokens)
        growth = _WEIGHT.get(said.voice, 1.0) * 2.0 ** min(self.tokens / HALF_LIFE, _MOST_HALVES)
        seen: set[int] = set()
        cuts = list(pieces(said.text, WINDOW))
        for first in range(0, len(cuts), PASSAGE):
            seen.update(self._passage(at, said.text, cuts[first : first + PASSAGE], growth))
        for id_ in seen:
            self.last[id_] = at
            self.root[id_] = math.sqrt(self.mass[id_])
            if home is not None:
                self.home[id_] = home
        self.tokens += len(said.text) // 4

    def _passage(self, at: int, text: str, cuts: list[tuple[int, int]], growth: float) -> set[int]:
        """Take in the windows of one passage; gives the values in it."""
        start, end = cuts[0][0], cuts[-1][1]
        found, mass = self._found, self.mass
        held: set[int] = set()
        for left, right in cuts:
            hits = [*chain.from_iterable(map(found.__getitem__, text[left:right].split()))]
            if not hits:
                continue
            for id_ in hits:
                mass[id_] += growth
            ids = (*hits,) if len(hits) == 1 else tuple(sorted({*hits}))
            held.update(ids)
            self._window(ids, at, left, right)
        self.words.add(len(self.passages), text[start : _word_end(text, end)])
        self.passages.append(tuple(sorted(held)))
        self.passage_entry.append(at)
        self.passage_end.append((self.passage_end[-1] if self.passage_end else 0) + end - start)
        self.passage_length.append(end - start)
        return held

    def _window(self, ids: tuple[int, ...], at: int, start: int, stop: int) -> None:
        """Remember a window unless a shorter one holds the same values."""
        known, cost = self._same.setdefault(ids, len(self.windows)), stop - start + HEADING
        if known == len(self.windows):
            self.windows.append(ids)
            self.window_entry.append(at)
            self.window_start.append(start)
            self.window_stop.append(stop)
            self.window_cost.append(cost)
        elif cost < self.window_cost[known]:
            self.window_entry[known], self.window_start[known], self.window_stop[known] = at, start, stop
            self.window_cost[known] = cost
        else:
            return
        density, best, densest = len(ids) / cost, self.best, self.densest
        for id_ in ids:
            if density > densest[id_] or (density == densest[id_] and known < best[id_]):
                best[id_], densest[id_] = known, density

    def id_of(self, value: Value) -> int:
        """The id of a value, a new one when it was never met."""
        id_ = self.ids.get(value)
        if id_ is None:
            id_ = self.ids[value] = len(self.names)
            self.names.append(value)
            self.brevity.append(len(value[1]) ** -0.5)
            self.parts.append(_parts(value))
            self.best.append(0)
            self.densest.append(0.0)
            self.mass.append(0.0)
            self.root.append(0.0)
            self.last.append(0)
            self.home.append(None)
        return id_

    def within(self, text: str) -> dict[Value, int]:
        """The values in any text, with how often each stands there."""
        return values(text, self._memo)

    def visible_from(self, seq: int) -> int:
        """Position of the first entry whose sequence number is at least `seq`."""
        return bisect_left(self.seqs, seq)

    def dump(self) -> bytes:
        """All of it, in a form that `restored` understands."""
        return msgspec.msgpack.encode(
            PackedSet(
                self.seqs.tobytes(), self.turns.tobytes(), self.voices, self.entry_ids,
                self.names, _packed("d", self.mass), _packed("I", self.last), self.home,
                _packed("I", self.best), _packed("d", self.densest),
                self.windows, self.window_entry.tobytes(), self.window_start.tobytes(), self.window_stop.tobytes(),
                self.passages, self.passage_entry.tobytes(), self.passage_end.tobytes(), self.words.dump(),
                self.deeds.files, self.deeds.commands, self.deeds.pending, self.tokens,
            )
        )  # fmt: skip

    @classmethod
    def restored(cls, content: bytes) -> "WorkingSet":
        """A dumped working set.

        Raises:
            msgspec.DecodeError, ValueError: the content is not a dump.
        """
        kept = msgspec.msgpack.decode(content, type=PackedSet)
        made = cls()
        made.seqs.frombytes(kept.seqs)
        made.turns.frombytes(kept.turns)
        made.voices, made.entry_ids, made.names, made.home = kept.voices, kept.entry_ids, kept.names, kept.home
        made.mass = array("d", kept.mass).tolist()
        made.root.extend(map(math.sqrt, made.mass))
        made.last = array("I", kept.last).tolist()
        made.ids = {name: id_ for id_, name in enumerate(kept.names)}
        made.windows, made.passages = kept.windows, kept.passages
        made.best = array("I", kept.best).tolist()
        made.densest = array("d", kept.densest).tolist()
        made.brevity.extend(len(name) ** -0.5 for _, name in kept.names)
        made.parts.extend(map(_parts, kept.names))
        made._same = {ids: window for window, ids in enumerate(kept.windows)}
        made.window_entry.frombytes(kept.window_entry)
        made.window_start.frombytes(kept.window_start)
        made.window_stop.frombytes(kept.window_stop)
        made.window_cost.extend(map(sub, made.window_stop, (start - HEADING for start in made.window_start)))
        made.passage_entry.frombytes(kept.passage_entry)
        made.passage_end.frombytes(kept.passage_end)
        made.passage_length.extend(map(sub, made.passage_end, chain((0,), made.passage_end)))
        made.words = Words.restored(kept.words)
        made.deeds = Deeds(kept.files, kept.commands, kept.pending)
        made.tokens = kept.tokens
        return made


def _packed(kind: str, numbers: Sequence[float]) -> bytes:
    return array(kind, numbers).tobytes()


def _parts(value: Value) -> tuple[str, ...]:
    """The simple names in a dotted one; none where there is only one."""
    kind, name = value
    if kind == PATH or not ("." in name or "::" in name):
        return ()
    return tuple(name.replace("::", ".").split("."))


def _word_end(text: str, end: int) -> int:
    """Where the word ends that a cut at `end` would divide."""
    last = min(len(text), end + _LONGEST_WORD)
    while end < last and (text[end].isalnum() or text[end] == "_"):
        end += 1
    return end
