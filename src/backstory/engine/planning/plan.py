"""Plans a model call end to end: native context, budgets, evidence, the pure planner, and the manifest.

The planner runs twice: first to learn which messages will be committed, then with the evidence that is worth adding
beside them. The caller always gets a list to send, at worst the agent's own. Neighbours: `setup` knows what holds for a
call, `engine.context` reads what it sees, `supplements` what may be added, `tail` bounds the newest messages, `reuse`
says which tail pays with a cache, `answer` makes messages, `manifest` tells what they are, `keeping` keeps it.
"""

from collections.abc import Callable, Sequence

import msgspec

from backstory.engine import context as contexts
from backstory.engine import naming, transcripts
from backstory.engine.artifacts import condense
from backstory.engine.context import Context
from backstory.engine.indexing.index import BUDGET_MS, problems, sync
from backstory.engine.memory import state as memory_state
from backstory.engine.open import Engine
from backstory.engine.planning import answer, keeping, reuse, supplements
from backstory.engine.planning import manifest as manifests
from backstory.engine.planning import setup as setups
from backstory.engine.planning import tail as tails
from backstory.engine.planning.call import Call, Terms
from backstory.engine.planning.setup import Setup
from backstory.engine.transcript import showing, start
from backstory.engine.transcript.session import Transcript
from backstory.engine.transcript.showing import Shown
from backstory.plan import outcome, overflow, planner
from backstory.plan.explain import explain
from backstory.records.base import Record
from backstory.records.browsing import SessionRow
from backstory.records.budget import Model
from backstory.records.manifest import Manifest, Tools
from backstory.records.message import Message, Text
from backstory.records.plan import Group, Item, Plan, PlanInput, Supplement
from backstory.records.planning import Planned, PlannedMessage, PlanRequest
from backstory.records.settings import Loaded
from backstory.text import hashing

Later = Callable[[Callable[[], object]], None]


def plan(
    engine: Engine,
    request: PlanRequest,
    *,
    loaded: Loaded | None = None,
    model: Model | None = None,
    ephemeral: bool = False,
    replayed: str | None = None,
    tools: Tools | None = None,
) -> Planned:
    """The messages of one call and their manifest, which is stored once the answer is made.

    `loaded` are settings that hold instead of those of this machine, `model` is the host's description of the model.
    Of an `ephemeral` call nothing is kept on disk; `replayed` is the manifest of a past call that is planned again.
    `tools` are part of the request's `fixed` tokens.

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
    call, made = _made(engine, request, row, look, Terms(loaded, model, ephemeral, tools=tools))
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
    terms: Terms | None = None,
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

    call, made = _made(engine, request, transcript.row, look, terms or Terms())
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
        final, decided = _planned(call)
        call.gathered.warnings += contexts.unread(call.context)
        whole = answer.messages(call, final, decided)
        sent = call.gate.outgoing(whole)
        spent = (engine.clock() - started) * 1_000
        head = manifests.head(call, decided, sent, spent)
    return call, _Made(decided, whole, sent, head, lambda: manifests.manifest(call, final, decided, sent, head))


def _planned(call: Call) -> tuple[PlanInput, Plan]:
    call.gate.context(call.context)
    _condense(call)
    if call.request.request:
        _ask(call, call.request.request)
    supplements.kept(call)
    supplements.source(call)
    supplements.earlier(call, _first(call))
    return _final(call, call.gate.supplements(call.gathered.supplements))


def _condense(call: Call, positions: Sequence[int] | None = None) -> None:
    options = call.config.artifacts
    if options.enabled:
        call.gathered.condensed += condense.condense_context(call.context, positions, call.estimator, options.threshold)


def _ask(call: Call, text: str) -> None:
    """Put what the user asks next behind the context."""
    context = call.context
    message = Message("user", (Text(text),))
    item = Item(call.estimator.message(message), "user", kind="prompt", hash=hashing.of_text(text))
    at = len(context.items)
    context.items.append(item)
    context.messages.append(message)
    context.read.append(at)
    context.groups.append(Group("turn", (at,), item.tokens, f"group:{at}-{at}"))
    call.gate.context(context, [at])


def _first(call: Call) -> Plan:
    """The plan that tells which messages are committed; room is kept for evidence only when something stays out."""
    call.gathered.tail = tails.first(call)
    if not _surpassed(call):
        _, alone = _decide(call, call.gathered.supplements)
        compacted = len(call.context.branch) > len(call.context.items)
        if not compacted and not any(item.positions for item in alone.excluded):
            return alone
    options = call.config.context
    wanted = (
        *((Supplement("card", "card", "", call.limits.card, ("x",)),) if options.card else ()),
        *((Supplement("excerpts", "excerpt", "", call.limits.excerpts, ("x",)),) if options.excerpts else ()),
    )
    return _decide(call, [*call.gathered.supplements, *wanted])[1]


def _surpassed(call: Call) -> bool:
    """Whether something stays out in any case, as the newest messages, all of them read, already pass the limit."""
    messages = call.context.messages
    newest = messages[::-1].index(None) if None in messages else len(messages)
    return overflow.certain(_input(call, call.gathered.supplements), newest)


def _final(call: Call, supplements: Sequence[Supplement]) -> tuple[PlanInput, Plan]:
    """The plan of the call; where a longer tail may pay, the cheaper of two over what is to come."""
    report = call.gathered.cache
    if not report.eligible:
        return _decide(call, supplements)
    call.gathered.tail = tails.nominal(call)
    nominal = _decide(call, supplements)
    call.gathered.tail = tails.steady(call, report.tail)
    longer = _decide(call, supplements)
    call.gathered.cache = reuse.weighed(call, nominal[1], longer[1])
    return longer if call.gathered.cache.extended else nominal


def _decide(call: Call, supplements: Sequence[Supplement]) -> tuple[PlanInput, Plan]:
    """A plan all of whose messages were read: missing ones are read, checked and condensed, and it is made again."""
    while True:
        final = _input(call, supplements)
        decided = _plan(call, final)
        new = contexts.complete(call.context, decided.positions, call.estimator)
        if not new:
            return final, decided
        call.gathered.judged.clear()
        call.gate.context(call.context, new)
        _condense(call, new)


def _plan(call: Call, final: PlanInput) -> Plan:
    """The plan, or the agent's own list when planning itself breaks: a caller always has something to send."""
    try:
        return planner.plan(final, call.gathered.judged)
    except Exception as error:  # noqa: BLE001 - no defect of the planner may cost the call
        return outcome.native_plan(final, f"planning failed: {type(error).__name__}")


def _input(call: Call, supplements: Sequence[Supplement]) -> PlanInput:
    return PlanInput(
        items=tuple(call.context.items),
        groups=tuple(call.context.groups),
        budget=call.limits,
        supplements=tuple(supplements),
        fixed=call.request.fixed,
        pinned=call.context.pinned,
        placement=call.placement,
        rescue=call.config.context.rescue,
        tail=call.gathered.tail.limit,
        keep_from=call.gathered.tail.start,
        anchor=call.gathered.tail.anchor,
    )
