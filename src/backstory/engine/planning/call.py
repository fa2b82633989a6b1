"""One model call while it is planned: all that it depends on, settled from its start, and what is gathered for it.

Before it: `engine.planning.setup`, which settles. `supplements`, `tail` and `reuse` beside it gather,
`decision` decides.
"""

from collections.abc import Iterator

import msgspec

from backstory.engine.context import Context
from backstory.engine.open import Engine
from backstory.engine.planning.gate import Gate
from backstory.engine.transcript.prepared import Condensed
from backstory.plan.evidence.recall import Recalled
from backstory.plan.evidence.working import WorkingSet
from backstory.plan.sound import Judged
from backstory.records.base import Record
from backstory.records.budget import Budget, Calibration, Model, Profile, Sample, Tuning
from backstory.records.config import Config
from backstory.records.manifest import ProjectRevision, SnippetRef, Tools, Trace
from backstory.records.memory import Kept
from backstory.records.message import Message, Text
from backstory.records.plan import CachePolicy, CacheReport, Supplement
from backstory.records.planning import PlanRequest
from backstory.records.settings import Loaded
from backstory.text.tokens import Estimator


class Terms(Record, frozen=True):
    """What a caller knows better than this machine.

    `loaded` are settings that hold instead of those of this machine, `model` is a host's description of the model. Of
    an `ephemeral` call nothing is kept on disk. `trusted` is a host's word on the project, None without a host.
    `switch` is how the model was chosen, and `tools`, part of the request's `fixed` tokens, those that go with the
    call, where a host says so. A call that is `observed` is made with the host's own list, whatever is planned.
    """

    loaded: Loaded | None = None
    model: Model | None = None
    ephemeral: bool = False
    trusted: bool | None = None
    switch: str | None = None
    tools: Tools | None = None
    observed: bool = False


class Ranges(Record, frozen=True):
    """Ranges of source as supplements and as a manifest names them, the root they are from as it was, and warnings."""

    root: str | None = None
    supplements: tuple[Supplement, ...] = ()
    snippets: tuple[SnippetRef, ...] = ()
    revision: ProjectRevision | None = None
    warnings: tuple[str, ...] = ()


class TailBounds(Record, frozen=True):
    """Bounds of the recent tail other than its budget: another limit, and the entry that it starts at.

    `anchor` is the position of the request before which card and excerpts stand until the start moves again.
    """

    limit: int | None = None
    start: str | None = None
    anchor: int | None = None


class Gathered(msgspec.Struct):
    """What is found and settled for a call while it is planned.

    `before` is what is left of the call that was planned before this one in the same session, once anything asked for
    it.
    """

    warnings: list[str]
    before: Trace | msgspec.UnsetType | None = msgspec.UNSET
    supplements: list[Supplement] = msgspec.field(default_factory=list)
    kept: list[Kept] = msgspec.field(default_factory=list)
    ranges: Ranges = Ranges()
    working: WorkingSet | None = None
    recalled: Recalled | None = None
    condensed: list[Condensed] = msgspec.field(default_factory=list)
    judged: Judged = msgspec.field(default_factory=dict)
    tail: TailBounds = TailBounds()
    cache: CacheReport = CacheReport()


class Call(msgspec.Struct, frozen=True):
    """What holds for a call from its start, and what has been `gathered` for it so far.

    `learnt` are samples that the session's log holds beyond the stored ones.
    """

    engine: Engine
    request: PlanRequest
    context: Context
    gate: Gate
    known: Profile
    limits: Budget
    calibration: Calibration
    tuning: Tuning
    config: Config
    estimator: Estimator
    terms: Terms
    learnt: tuple[tuple[str, Sample], ...]
    gathered: Gathered

    @property
    def placement(self) -> str:
        """Where supplements stand."""
        return self.request.placement or self.config.context.placement

    @property
    def cache_policy(self) -> CachePolicy:
        """How the start of the tail moves. A budget given in tokens is filled, unless the request says otherwise."""
        policy, mode = self.config.cache, self.request.cache
        if mode is None and policy.mode == "auto" and self.request.budget is not None:
            mode = "off"
        return msgspec.structs.replace(policy, mode=mode) if mode else policy

    @property
    def asked(self) -> str:
        """The text of the newest request; empty without one."""
        return next(self._asked(), "")

    def requests(self, until: int | None = None) -> tuple[str, str]:
        """The texts of the newest request, or of that at a position, and of the one before it."""
        found = self._asked(until)
        return next(found, ""), next(found, "")

    def _asked(self, until: int | None = None) -> Iterator[str]:
        """The texts of requests, the newest first."""
        items, messages = self.context.items, self.context.messages
        for at in reversed(self.context.read):
            if items[at].kind == "prompt" and (until is None or at <= until) and (message := messages[at]) is not None:
                yield _said(message)

    def cost(self, text: str) -> int:
        """Tokens of a synthetic message with this text."""
        return self.estimator.plain("user", text)


def _said(message: Message) -> str:
    return "\n".join(block.text for block in message.blocks if isinstance(block, Text))
