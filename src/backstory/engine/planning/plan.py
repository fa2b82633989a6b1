"""Plans a model call end to end: native context, budgets, evidence, the pure planner, and the manifest.

The caller always gets a list to send, at worst the agent's own. Neighbours: `setup` knows what holds for a call,
`engine.context` reads what it sees, `decision` runs the planner, `answer` makes messages, `manifest` tells what they
are, `keeping` keeps it.
"""

from collections.abc import Callable, Sequence

import msgspec

from backstory.engine import context as contexts
from backstory.engine import naming, transcripts
from backstory.engine.context import Context
from backstory.engine.indexing.index import BUDGET_MS, problems, sync
from backstory.engine.memory import state as memory_state
from backstory.engine.open import Engine
from backstory.engine.planning import answer, decision, keeping
from backstory.engine.planning import manifest as manifests
from backstory.engine.planning import setup as setups
from backstory.engine.planning.call import Call, Terms
from backstory.engine.planning.setup import Setup
from backstory.engine.transcript import showing, start
from backstory.engine.transcript.session import Transcript
from backstory.engine.transcript.showing import Shown
from backstory.plan.explain import explain
from backstory.records.base import Record
from backstory.records.browsing import SessionRow
from backstory.records.manifest import Manifest
from backstory.records.plan import Plan
from backstory.records.planning import Planned, PlannedMessage, PlanRequest

Later = Callable[[Callable[[], object]], None]
_NONE = Terms()


def plan(engine: Engine, request: PlanRequest, terms: Terms = _NONE, *, replayed: str | None = None) -> Planned:
    """The messages of one call and their manifest, which is stored once the answer is made.

    `replayed` is the manifest of a past call that is planned again.

    Raises:
        UnknownSessionError, AmbiguousSessionError, UnknownEntryError: nothing, or too much, is called that.
        UsageError: a size, the placement or the model makes no sense.
    """
    setups.check(request)
    report = None if request.no_sync else sync(engine, budget_ms=BUDGET_MS)

    def look(setup: Setup) -> Context:
        transcript = transcripts.named(engine, request.session)
        if request.at:
            leaf, answer_ = start.past(transcript, request.at)
        else:
            leaf, answer_ = start.leaf(transcript, request.leaf), None
        return contexts.seen(transcript, leaf, hard=setup.room, answered_by=answer_, estimator=setup.estimator)

    _, row = naming.session(engine, request.session)
    call, made = _made(engine, request, row, look, terms)
    told = (*(problems(report) if report else ()), *call.context.problems)
    manifest = keeping.keep(call, msgspec.structs.replace(made.manifest(), replayed=replayed))
    return Planned(made.messages, manifest, tuple(explain(manifest)), told)


class HostPlan(Record, frozen=True):
    """A plan of a host's own list, and the id of its manifest.

    For each of its messages: `positions` has its index in that list, None for one to insert; `changed` is true when its
    content is not what the list holds.
    """

    messages: tuple[PlannedMessage, ...]
    manifest: str
    positions: tuple[int | None, ...]
    changed: tuple[bool, ...]


def plan_given(
    engine: Engine,
    request: PlanRequest,
    transcript: Transcript,
    shown: Sequence[Shown] | None = None,
    terms: Terms = _NONE,
    *,
    later: Later | None = None,
) -> HostPlan:
    """The plan of a call that a host is about to make with the messages `shown`; the session is that of the transcript.

    None stands for what a call at the request's leaf sees by the rules of its agent. With `later`, what is to be kept
    of the call is made and kept when that function has it done: before the session's next call is planned.

    Raises:
        UnknownEntryError: the log does not hold an entry that is shown, or the leaf.
        UsageError: a size, the placement or the model makes no sense.
    """
    setups.check(request)

    def look(setup: Setup) -> Context:
        transcript.reach(start.leaf(transcript, request.leaf))
        keys = transcript.reached.seen if shown is None else showing.numbers(transcript, shown)
        return contexts.shown(transcript, keys, hard=setup.room, estimator=setup.estimator)

    call, made = _made(engine, request, transcript.row, look, terms)
    context = call.context
    known = len(context.entries)
    # A request that stands in no log follows what was shown, and is inserted like what we add.
    native = [at if (at := one.position) is not None and at < known else None for one in made.decided.included]
    (later or _now)(lambda: keeping.keep(call, made.manifest()))
    return HostPlan(
        made.messages,
        made.head.id,
        tuple([context.stay.origin(at) if at is not None else None for at in native]),
        tuple(
            at is not None and (sent is not whole or not context.whole(at))
            for at, sent, whole in zip(native, made.messages, made.whole, strict=True)
        ),
    )


class _Made(msgspec.Struct):
    """What was decided, its messages before and after the last check of what may leave, and what makes the manifest."""

    decided: Plan
    whole: tuple[PlannedMessage, ...]
    messages: tuple[PlannedMessage, ...]
    head: manifests.ManifestHead
    manifest: Callable[[], Manifest]


def _now(job: Callable[[], object]) -> None:
    job()


def _made(
    engine: Engine,
    request: PlanRequest,
    row: SessionRow,
    look: Callable[[Setup], Context],
    terms: Terms,
) -> tuple[Call, _Made]:
    """The call, and the plan of it, whose manifest is still to be made and kept."""
    started = engine.clock()
    stale = memory_state.freshened(engine)
    with engine.history.read():
        setup = setups.prepare(engine, request, row, terms.loaded, terms.model)
        call = setups.opened(engine, request, setup, look, terms)
        call.gathered.warnings += stale
        final, decided = decision.decided(call)
        call.gathered.warnings += contexts.unread(call.context)
        whole = answer.messages(call, final, decided)
        sent = call.gate.outgoing(whole)
        spent = (engine.clock() - started) * 1_000
        head = manifests.head(call, decided, sent, spent)
    return call, _Made(decided, whole, sent, head, lambda: manifests.manifest(call, final, decided, sent, head))
