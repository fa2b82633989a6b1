"""Replays a session up to every request and asks which exact values the agent then used a bounded context still shows.

A value counts when the agent writes it after the request, it stood in the history, not in the request, and was last
said before the largest tail of whole steps that fits the budget: only then does it take more than a tail to keep it.
Compared are the tail alone, the tail with the agent's own last summary, and the tail with card and excerpts, which has
to be shorter to make room for them. One session is held at a time, and each entry is read once.
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from backstory.plan.evidence import card, coverage, worth
from backstory.plan.evidence.deeds import telling
from backstory.plan.evidence.working import WorkingSet
from backstory.records.evidence import Said
from backstory.text.values import COMMAND, PATH, Value, command

HISTORY = 160_000
CHARS = 4
TAIL, SUMMARY, PLAN = "tail", "tail and summary", "tail, card and excerpts"
_PROGRAM = "program"


class Score(msgspec.Struct):
    """Sums of one way at one budget."""

    shares: list[float] = []
    texts: list[float] = []
    kept: int = 0
    reused: int = 0
    kinds: dict[str, tuple[int, int]] = {}

    def note(self, found: Mapping[Value, bool], in_text: Mapping[Value, bool], counted: Sequence[Value]) -> None:
        """Add one decision point: what was found of all reused values, and which of them count."""
        self.kept += sum(found.values())
        self.reused += len(found)
        if not counted:
            return
        self.shares.append(sum(found[value] for value in counted) / len(counted))
        self.texts.append(sum(in_text[value] for value in counted) / len(counted))
        for kind, name in counted:
            hits, all_ = self.kinds.get(kind, (0, 0))
            self.kinds[kind] = (hits + found[kind, name], all_ + 1)


class Replay:
    """One session as it grows; `scores` by budget and way collect over all sessions that are given the same ones."""

    def __init__(self, budgets: Sequence[int], share: float, scores: dict[tuple[int, str], Score]) -> None:
        self._budgets = budgets
        self._share = share
        self._scores = scores
        self.points = 0

    def run(self, said: Sequence[Said], summaries: Mapping[int, str]) -> None:
        """Measure a session; `summaries` are the agent's own, by the sequence number they came at."""
        requests = [at for at, one in enumerate(said) if one.voice == "user"]
        session = _Session(said, summaries)
        for number, at in enumerate(requests):
            session.reach(at)
            if session.chars >= HISTORY:
                end = requests[number + 1] if number + 1 < len(requests) else len(said)
                before = said[requests[number - 1]].text if number else ""
                self._decide(session, at, end, before)

    def _decide(self, session: "_Session", at: int, end: int, before: str) -> None:
        reused = session.reused(at, end)
        if not reused:
            return
        self.points += 1
        for budget in self._budgets:
            room = budget * CHARS - len(session.said[at].text)
            if room > 0:
                self._measure(session, at, before, reused, budget, room)

    def _measure(
        self, session: "_Session", at: int, before: str, reused: Mapping[Value, int], budget: int, room: int
    ) -> None:
        full = session.tail(at, room)
        counted = [value for value, last in reused.items() if last < full]
        shown = {value: last >= full for value, last in reused.items()}
        self._score(budget, TAIL).note(shown, shown, counted)
        summary = session.summary(at)
        if summary:
            known = session.values_of(summary)
            start = session.tail(at, room - len(summary))
            also = {value: last >= start or _in(value, known, summary) for value, last in reused.items()}
            self._score(budget, SUMMARY).note(also, also, counted)
        room_for = int(budget * self._share) * CHARS
        start = session.tail(at, room - room_for)
        listed, quoted = session.added(at, before, start, room_for)
        names, texts = session.values_of(listed), session.values_of(quoted)
        in_text = {value: last >= start or _in(value, texts, quoted) for value, last in reused.items()}
        found = {value: in_text[value] or _in(value, names, listed) for value in reused}
        self._score(budget, PLAN).note(found, in_text, counted)

    def _score(self, budget: int, way: str) -> Score:
        return self._scores.setdefault((budget, way), Score([], [], 0, 0, {}))


class _Session:
    """The history of a session up to a request, and what the agent does after it."""

    def __init__(self, said: Sequence[Said], summaries: Mapping[int, str]) -> None:
        self.said = said
        self.chars = 0
        self._texts = {one.seq: one.text for one in said}
        self._summaries = summaries
        self._working = WorkingSet()
        self._touched: set[str] = set()
        self._programs: dict[str, int] = {}

    def reach(self, at: int) -> None:
        """Take in everything before the entry at position `at`."""
        for position in range(len(self._working), at):
            one = self.said[position]
            self._working.observe(one)
            self.chars += len(one.text)
            if one.voice == "call":
                self._note(one, position)

    def _note(self, one: Said, position: int) -> None:
        self._touched.update(one.paths)
        if one.command:
            self._touched.update(name for kind, name in self._working.within(one.command) if kind == PATH)
            program = telling(command(one.command))
            if program:
                self._programs[program] = position

    def reused(self, at: int, end: int) -> dict[Value, int]:
        """Values of the history that the agent writes before the next request, each with where it was last said."""
        asked = self._working.within(self.said[at].text)
        found: dict[Value, int] = {}
        for one in self.said[at + 1 : end]:
            if one.voice not in {"assistant", "call"}:
                continue
            for value in self._working.within(one.text):
                id_ = self._working.ids.get(value)
                if id_ is not None and value not in asked and (value[0] != PATH or value[1] in self._touched):
                    found[value] = self._working.last[id_]
            found.update(self._rerun(one))
        return found

    def _rerun(self, one: Said) -> Iterator[tuple[Value, int]]:
        if one.voice == "call" and one.command:
            ran = command(one.command)
            program = telling(ran)
            if ran in self._working.deeds.commands:
                yield (COMMAND, ran), self._working.deeds.commands[ran].last
            elif program in self._programs:
                yield (_PROGRAM, program), self._programs[program]

    def tail(self, at: int, room: int) -> int:
        """Position of the first entry of the largest suffix of whole steps before `at` within `room` characters."""
        best = position = at
        while position > 0:
            position -= 1
            room -= len(self.said[position].text)
            if room < 0:
                break
            if self._opens_step(position):
                best = position
        return best

    def _opens_step(self, position: int) -> bool:
        voice = self.said[position].voice
        before = self.said[position - 1].voice if position else "user"
        return voice == "user" or before == "user" or (voice != "result" and before == "result")

    def summary(self, at: int) -> str:
        """The newest summary of the agent itself before an entry."""
        seq = self.said[at].seq
        earlier = [place for place in self._summaries if place < seq]
        return self._summaries[max(earlier)] if earlier else ""

    def added(self, at: int, before: str, start: int, room: int) -> tuple[str, str]:
        """The card and the excerpts within `room` characters."""
        request = self.said[at].text
        near = worth.nearness(self._working, worth.terms(request, before), start)
        valued = worth.worth(self._working, near, start)
        for id_ in worth.said_in(self._working, [request]):
            valued[id_] = 0.0
        done = card.deeds(self._working, frozenset(), start, room // 2)
        order = card.ranked(self._working, valued, room // 2)
        made = card.card(self._working, valued, order, done, start, room // 2)
        listed = made.text if made is not None else ""
        chosen = coverage.cover(self._working, valued, coverage.commands(self._working, start), room - len(listed))
        found = coverage.located(self._working, chosen, self._texts).joined()
        return listed, "\n".join([coverage.line(self._working, one, self._texts) for one in found])

    def values_of(self, text: str) -> Mapping[Value, int]:
        """The values in a text."""
        return self._working.within(text)


def _in(value: Value, names: Mapping[Value, int], text: str) -> bool:
    return value[1] in text if value[0] in {COMMAND, _PROGRAM} else value in names
