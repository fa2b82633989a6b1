"""Whatever a model, a person, a host and the time do in whatever order: nothing is kept without a fresh yes, or twice.

The machine drives the protocol step by step against a session on disk and keeps its own books of what a person agreed
to; after every step the session may hold nothing else.
"""

import shutil
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule

from backstory.engine.host import resume
from backstory.engine.host import tools as host_tools
from backstory.engine.host.hosted import hosted
from backstory.engine.open import MEMORY
from backstory.records.host import Append, Appended, Confirmed, NewEntry, Say, Step
from tests.fakes.host import Clock, FakeHost

TEXTS = st.sampled_from(["the port is 8080", "the port is 9090", "never touch src/gen", "keep it simple"])
MINUTE = 60_000


class Asked(NamedTuple):
    """A question: when it was asked, what was shown, and how many requests of the user there were."""

    at: int
    text: str
    requests: int


class Protocol(RuleBasedStateMachine):
    """A model proposes, a person answers, a host appends well or badly, time passes, the user goes on talking."""

    questions = Bundle("questions")
    appends = Bundle("appends")
    revisions = Bundle("revisions")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.engine = Clock(self.folder / "home", {"HOME": str(self.folder)}, database=MEMORY)
        self.host = FakeHost(self.engine, self.folder)
        self.host.say("please keep what I say")
        self.allowed: list[dict[str, Any]] = []
        self.asked: dict[str, Asked] = {}
        self.spent: set[str] = set()
        self.requests = 1

    def teardown(self) -> None:
        self.engine.close()
        shutil.rmtree(self.folder)

    @rule(target=questions, text=TEXTS, kind=st.sampled_from(["pin_add", "memory_add"]))
    def propose(self, text: str, kind: str) -> Any:
        return self._asked(self._tool(action=kind, content=text), text)

    @rule(target=questions, named=revisions, kind=st.sampled_from(["pin_unpin", "memory_expire", "memory_invalidate"]))
    def propose_end(self, named: dict[str, Any], kind: str) -> Any:
        return self._asked(self._tool(action=kind, **named), named["id"])

    @rule(target=questions, named=revisions, text=TEXTS, kind=st.sampled_from(["pin_supersede", "memory_supersede"]))
    def propose_newer(self, named: dict[str, Any], text: str, kind: str) -> Any:
        return self._asked(self._tool(action=kind, content=text, **named), text)

    @rule(target=revisions, action=st.sampled_from(["pins_list", "memory_list"]))
    def read(self, action: str) -> Any:
        said = self._tool(action=action)
        assert isinstance(said, Say)
        return multiple(*({key: item[key] for key in ("id", "targetRevision")} for item in said.data["items"]))

    @rule(target=appends, token=questions)
    def agree(self, token: str) -> Any:
        step = resume.resume(self.engine, token, Confirmed(self.host.call, accepted=True))
        asked, late = self.asked[token], self.engine.time >= self.asked[token].at + 30 * MINUTE
        spent = token in self.spent
        self.spent.add(token)
        if not isinstance(step, Append):
            return multiple()
        assert not spent, "a yes counted twice"
        assert not late, "a late yes counted"
        assert asked.requests == self.requests, "a yes counted for another request than it was asked about"
        [entry] = step.entries
        item = entry.data.get("item", {})
        shown = item.get("content") or item.get("claim") or entry.data.get("pinId") or entry.data.get("memoryId")
        assert shown == asked.text, "something else was written than was shown"
        self.allowed.append(entry.data)
        return step

    @rule(token=questions, how=st.sampled_from(["no", "aborted", "nobody"]))
    def decline(self, token: str, how: str) -> None:
        self.host.ui = how != "nobody"
        answer = Confirmed(self.host.call, accepted=how != "no", aborted=how == "aborted")
        self.host.ui = True
        assert isinstance(resume.resume(self.engine, token, answer), Say)
        self.spent.add(token)

    @rule(step=consumes(appends), how=st.sampled_from(["done", "done", "lost", "failed", "moved", "silent"]))
    def append(self, step: Append, how: str) -> None:
        moved = how == "moved" or (step.leaf is not None and step.leaf != self.host.leaf)
        written = () if moved or how == "failed" else tuple(map(self._write, step.entries))
        if how == "silent":
            return
        problem = "moved" if moved else "failed" if how in {"lost", "failed"} else None
        said = resume.resume(self.engine, step.token, Appended(self.host.call, written, problem))
        assert isinstance(said, Say), "an append was asked for again"
        expected = {
            None: {"committed", "committed_projection_pending"},
            "failed": {"indeterminate"},
            "moved": {"rejected"},
        }
        assert said.data["outcome"] in expected[problem]
        assert isinstance(resume.resume(self.engine, step.token, Appended(self.host.call, written)), Say)

    @rule(role=st.sampled_from(["user", "assistant"]))
    def talk(self, role: str) -> None:
        self.requests += role == "user"
        self.host.say("go on", role)

    @rule(minutes=st.sampled_from([1, 16, 31]))
    def wait(self, minutes: int) -> None:
        self.engine.time += minutes * MINUTE

    @invariant()
    def only_what_was_agreed_to_is_in_the_log(self) -> None:
        assert all(record["data"] in self.allowed for record in self.host.mutations())

    @invariant()
    def nothing_that_was_added_is_there_twice(self) -> None:
        state = hosted(self.engine, self.host.call).kept()
        active = [one for one in (*state.pins, *state.memories) if one.status == "active" and one.supersedes is None]
        names = [(one.kind, one.text) for one in active]
        assert len(names) == len(set(names))

    def _write(self, entry: NewEntry) -> str:
        return self.host.entry({"type": "custom", "customType": entry.custom_type, "data": entry.data})

    def _tool(self, **arguments: Any) -> Step:
        return host_tools.run(self.engine, self.host.call, "context_persistence", arguments)

    def _asked(self, step: Step, text: str) -> Any:
        assert not isinstance(step, Append), "an append without a question"
        if isinstance(step, Say):
            return multiple()
        assert step.token not in self.asked
        self.asked[step.token] = Asked(self.engine.time, text, self.requests)
        return step.token


TestProtocol = Protocol.TestCase
TestProtocol.settings = settings(
    max_examples=40, stateful_step_count=30, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
