"""Plans a model call end to end: native context, budgets, evidence, the pure planner, and the manifest.

The planner runs twice: first to learn which messages will be committed, then with the evidence that is worth adding
beside them. A part that fails costs that part; the caller always gets a list to send, at worst the agent's own.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress

import msgspec

from backstory.engine import artifacts, context, evidence
from backstory.engine.artifacts import Condensed
from backstory.engine.context import Context
from backstory.engine.guarding import Gate
from backstory.engine.index import problems, sync
from backstory.engine.open import Engine
from backstory.errors import BackstoryError, CancelledError, UsageError
from backstory.plan import budget as budgets
from backstory.plan import cache, mandatory, memory_select, planner, profile, recall, select
from backstory.plan import manifest as manifests
from backstory.plan.calibrate import WINDOW, Bounds, calibrate
from backstory.plan.diff import same_prefix
from backstory.plan.explain import explain
from backstory.plan.place import PLACEMENTS
from backstory.plan.working import WorkingSet
from backstory.records.budget import Budget, Calibration, Limits, Model, Profile
from backstory.records.evidence import Said
from backstory.records.manifest import Manifest, SnippetRef
from backstory.records.message import Message, Text
from backstory.records.plan import CacheReport, Group, Item, Plan, PlanInput, Supplement
from backstory.records.planning import Planned, PlannedMessage, PlanRequest
from backstory.records.privacy import Policy
from backstory.retrieve.task import describe
from backstory.store import manifests as stored
from backstory.text import hashing
from backstory.text.tokens import CHARS

WINDOW_TOKENS = 200_000
MOST_MEMORIES = 12
MOST_RECALLED = 12
_NO_POLICY = Policy()


class _Evidence(msgspec.Struct):
    """Supplements gathered so far, ranges of project files among them, and what went wrong."""

    supplements: list[Supplement]
    snippets: tuple[SnippetRef, ...] = ()
    project: str | None = None
    warnings: list[str] = msgspec.field(default_factory=list)
    working: WorkingSet | None = None
    condensed: list[Condensed] = msgspec.field(default_factory=list)


def plan(engine: Engine, request: PlanRequest, *, policy: Policy = _NO_POLICY) -> Planned:
    """The messages of one call and their manifest, which is stored once the answer is made.

    Raises:
        UnknownSessionError, AmbiguousSessionError, UnknownEntryError: nothing, or too much, is called that.
        UsageError, InvalidConfigError: a size or the placement makes no sense.
    """
    model = _model(request)
    gate = Gate(policy, model.provider)
    report = None if request.no_sync else sync(engine, budget_ms=3_000)
    started = engine.clock()
    with engine.history.read():
        known = profile.resolve(model)
        calibration = calibrate(stored.samples(engine.history, known.key, WINDOW), Bounds())
        limits = _budget(request, known, calibration)
        given = context.load(engine, request.session, at=request.at, leaf=request.leaf, hard=limits.hard)
        gate.context(given)
        gathered = _Evidence([])
        gathered.condensed += artifacts.condense_context(given)
        answer = _planned(engine, request, given, gate, known, limits, calibration, gathered)
    spent = (engine.clock() - started) * 1_000
    planning = msgspec.structs.replace(answer.manifest.planning, duration_ms=round(spent, 3))
    sent = {message.entry_id or str(message.seq) for message in answer.messages}
    refs = tuple(one.ref for one in gathered.condensed if one.ref.entry in sent)
    manifest = msgspec.structs.replace(answer.manifest, planning=planning, artifacts=refs)
    manifest = msgspec.structs.replace(manifest, cache=_reuse(engine, manifest, known))
    warnings = _store(engine, manifest)
    with suppress(BackstoryError):
        artifacts.keep(engine, given, [one for one in gathered.condensed if one.ref.entry in sent])
    if gathered.working is not None and not policy.enabled:
        with suppress(BackstoryError):
            evidence.keep(engine, given, gathered.working)
    if warnings:
        manifest = msgspec.structs.replace(manifest, warnings=(*manifest.warnings, *warnings))
    told = (*(problems(report) if report else ()), *given.problems)
    return msgspec.structs.replace(answer, manifest=manifest, explanation=tuple(explain(manifest)), problems=told)


def _model(request: PlanRequest) -> Model:
    if request.placement not in PLACEMENTS:
        raise UsageError(f"--placement is one of {', '.join(PLACEMENTS)}, not {request.placement!r}")
    if request.budget is not None and request.budget <= 0:
        raise UsageError(f"--budget must be positive, not {request.budget}")
    provider, slash, name = (request.model or "unknown/unknown").partition("/")
    if not (provider and slash and name):
        raise UsageError(f"--model wants PROVIDER/ID, not {request.model!r}")
    return Model(provider, name, request.window if request.window is not None else WINDOW_TOKENS, request.max_output)


def _budget(request: PlanRequest, known: Profile, calibration: Calibration) -> Budget:
    """The budget of the call; one given in tokens bounds all messages together, and the tail may fill it."""
    limits = Limits()
    made = budgets.allocate(known, limits, calibration)
    if request.budget is None:
        return made
    hard = request.budget + request.fixed
    share = int(request.budget * limits.supplement_share)
    card = int(share * limits.card_share)
    return msgspec.structs.replace(
        made,
        hard=hard,
        soft=hard,
        target=hard,
        active=hard,
        tail=request.budget,
        card=card,
        excerpts=share - card,
    )


def _planned(
    engine: Engine,
    request: PlanRequest,
    given: Context,
    gate: Gate,
    known: Profile,
    limits: Budget,
    calibration: Calibration,
    gathered: _Evidence,
) -> Planned:
    if request.request:
        _ask(given, request.request)
    asked, before = _requests(given)
    _local(gathered, "memory", lambda: _memory(engine, given, asked, limits, gathered))
    gathered.supplements = gate.supplements(gathered.supplements)
    first = _first(request, given, gate, limits, gathered)
    _local(gathered, "history", lambda: _history(engine, given, gate, first, asked, before, limits, gathered))
    if request.project is not None:
        root = request.project
        _local(gathered, "project", lambda: _project(engine, root, asked, limits, gathered))
    final, decided = _decide(request, given, gate, limits, gate.supplements(gathered.supplements), gathered)
    messages = [_message(given, final, decided, number) for number in range(len(decided.included))]
    privacy = gate.report()
    manifest = _manifest(engine, request, given, known, calibration, final, decided, gathered, messages)
    return Planned(tuple(messages), msgspec.structs.replace(manifest, privacy=privacy))


def _ask(given: Context, text: str) -> None:
    """Put what the user asks next behind the context."""
    message = Message("user", (Text(text),))
    item = Item(CHARS.message(message), "user", kind="prompt", hash=hashing.of_text(text))
    at = len(given.items)
    given.items.append(item)
    given.messages.append(message)
    given.groups.append(Group("turn", (at,), item.tokens, f"group:{at}-{at}"))


def _requests(given: Context) -> tuple[str, str]:
    """The texts of the newest request and of the one before it."""
    prompts = [
        _said(message)
        for item, message in zip(given.items, given.messages, strict=True)
        if item.kind == "prompt" and message is not None
    ]
    return (prompts[-1] if prompts else "", prompts[-2] if len(prompts) > 1 else "")


def _said(message: Message) -> str:
    return "\n".join(block.text for block in message.blocks if isinstance(block, Text))


def _local(gathered: _Evidence, part: str, work: Callable[[], None]) -> None:
    """Run one part; its failure costs only what it would have added."""
    try:
        work()
    except CancelledError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever breaks in one part must cost only that part
        gathered.warnings.append(f"{part}: {error}")


def _memory(engine: Engine, given: Context, asked: str, limits: Budget, gathered: _Evidence) -> None:
    state = evidence.kept(engine, given)
    session, project = given.row.session_id, given.row.cwd
    pins = memory_select.pins(state.pins, session=session, project=project, branch=given.branch_ids)
    gathered.supplements += (memory_select.pin_message(pin, _cost) for pin in pins)
    fitting = [item for item in state.memories if memory_select.applies(item, session, project, ())]
    gathered.supplements += memory_select.memories(
        fitting, describe(asked).terms, most=MOST_MEMORIES, room=limits.memory, cost=_cost
    )
    gathered.warnings += state.warnings


def _decide(
    request: PlanRequest,
    given: Context,
    gate: Gate,
    limits: Budget,
    supplements: Sequence[Supplement],
    gathered: _Evidence,
) -> tuple[PlanInput, Plan]:
    """A plan all of whose messages were read: missing ones are read, checked and condensed, and it is made again."""
    while True:
        final = _input(request, given, limits, supplements)
        decided = _plan(final)
        new = context.complete(given, decided.positions)
        if not new:
            return final, decided
        gate.context(given, new)
        gathered.condensed += artifacts.condense_context(given, new)


def _plan(final: PlanInput) -> Plan:
    """The plan, or the agent's own list when planning itself breaks: a caller always has something to send."""
    try:
        return planner.plan(final)
    except Exception as error:  # noqa: BLE001 - no defect of the planner may cost the call
        return planner.native_plan(final, f"planning failed: {type(error).__name__}")


def _first(request: PlanRequest, given: Context, gate: Gate, limits: Budget, gathered: _Evidence) -> Plan:
    """The plan that tells which messages are committed; room is kept for evidence only when something stays out."""
    _, alone = _decide(request, given, gate, limits, gathered.supplements, gathered)
    compacted = len(given.branch) > len(given.items)
    if not compacted and not any(item.positions for item in alone.excluded):
        return alone
    wanted = (
        Supplement("card", "card", "", limits.card, ("x",)),
        Supplement("excerpts", "excerpt", "", limits.excerpts, ("x",)),
    )
    return _decide(request, given, gate, limits, [*gathered.supplements, *wanted], gathered)[1]


def _history(
    engine: Engine,
    given: Context,
    gate: Gate,
    first: Plan,
    asked: str,
    before: str,
    limits: Budget,
    gathered: _Evidence,
) -> None:
    """The card, the excerpts and the quotations from what the committed messages do not show."""
    committed = [seq for position in first.positions if (seq := given.items[position].seq) is not None]
    tail = [_seq(given, item.position) for item in first.included if item.kind in {"recent", "current"}]
    kept = [seq for seq in tail if seq is not None]
    said = [one for one in evidence.said(engine, given) if gate.quotable(one.text)]
    edge = min(kept, default=given.branch[-1] + 1 if given.branch else 0)
    if not said or said[0].seq >= edge:
        return
    made = evidence.working_set(engine, given, _until_asked(given, said))
    gathered.working = made
    gathered.supplements += select.supplements(
        made,
        made.visible_from(edge),
        asked,
        before,
        card_room=limits.card,
        excerpt_room=limits.excerpts,
        cost=_cost,
    )
    task = describe(asked)
    wanted = recall.Wanted(task.identifiers, task.phrases, task.terms)
    older = [one for one in said if one.seq < edge]
    found = recall.recall(older, wanted, frozenset(committed), most=MOST_RECALLED, room=limits.history, cost=_cost)
    gathered.supplements += found.supplements


def _project(engine: Engine, root: str, asked: str, limits: Budget, gathered: _Evidence) -> None:
    found, warnings = evidence.source(engine, root, asked, limits.project)
    gathered.supplements += found
    gathered.warnings += warnings
    gathered.project = root


def _input(request: PlanRequest, given: Context, limits: Budget, supplements: Sequence[Supplement]) -> PlanInput:
    return PlanInput(
        items=tuple(given.items),
        groups=tuple(given.groups),
        budget=limits,
        supplements=tuple(supplements),
        fixed=request.fixed,
        pinned=given.pinned,
        placement=request.placement,
        keep_from=_steady_start(given, limits) if request.steady else None,
    )


def _until_asked(given: Context, said: Sequence[Said]) -> list[Said]:
    """What was said up to the request: the rest of its turn is in the call anyway, and so the card stays the same."""
    at = mandatory.request_at(given.items)
    seq = given.items[at].seq if at is not None else None
    return [one for one in said if seq is None or one.seq <= seq]


def _steady_start(given: Context, limits: Budget) -> str | None:
    """The entry that a steady tail starts at: the largest tail leaves room for card and excerpts."""
    room = min(limits.tail, limits.active - limits.card - limits.excerpts)
    start = cache.grid_start(given.sizes, room)
    return given.items[start].entry_id if 0 < start < len(given.items) else None


def _message(given: Context, final: PlanInput, decided: Plan, number: int) -> PlannedMessage:
    chosen = decided.included[number]
    if chosen.position is None:
        supplement = final.supplements[chosen.supplement or 0]
        content = [{"type": "text", "text": supplement.text}]
        return PlannedMessage("user", chosen.kind, None, None, chosen.group, chosen.tokens, content)
    item, message = given.items[chosen.position], given.messages[chosen.position]
    blocks = msgspec.to_builtins(message.blocks) if message is not None else []
    return PlannedMessage(item.role, chosen.kind, item.entry_id, item.seq, chosen.group, chosen.tokens, list(blocks))


def _manifest(  # noqa: PLR0913, PLR0917 - everything a manifest tells
    engine: Engine,
    request: PlanRequest,
    given: Context,
    known: Profile,
    calibration: Calibration,
    final: PlanInput,
    decided: Plan,
    gathered: _Evidence,
    messages: Sequence[PlannedMessage],
) -> Manifest:
    included, excluded = manifests.lines(final, decided)
    digest = hashing.of_value([(message.role, message.content) for message in messages])
    now = engine.now()
    by_kind = {kind: tuple(line.source or "" for line in included if line.kind == kind) for kind in ("pin", "memory")}
    return Manifest(
        id=hashing.of_value((given.session, now, digest))[:32],
        session=given.session,
        created=now,
        provider=known.provider,
        model=known.model,
        budget=final.budget,
        estimated_input=decided.fixed + decided.tokens,
        composition=manifests.composition(decided, request.fixed),
        planning=manifests.planning(decided, request.placement, 0.0),
        included=included,
        excluded=excluded,
        prompt_hash=digest,
        leaf=given.leaf.entry_id if given.leaf is not None else None,
        call=given.answered_by,
        estimator=known.estimator,
        summaries=tuple(line.source or "" for line in included if line.kind == "summary"),
        retrieved=tuple(line.source or "" for line in included if line.kind == "retrieval"),
        pins=by_kind["pin"],
        memories=by_kind["memory"],
        snippets=gathered.snippets,
        project=gathered.project,
        calibration=calibration,
        warnings=tuple(gathered.warnings),
    )


def _reuse(engine: Engine, manifest: Manifest, known: Profile) -> CacheReport:
    """What a provider's cache may hold of this call since the one planned before it, and what the call then costs."""
    before = stored.latest(engine.history, manifest.session)
    prefix = same_prefix(before, manifest) if before is not None else 0
    reusable = sum(line.tokens for line in manifest.included[:prefix])
    dollars = cache.cost(known.prices, manifest.estimated_input, reusable)
    return CacheReport(tail=manifest.planning.tail_limit, reusable=reusable, cost=dollars)


def _store(engine: Engine, manifest: Manifest) -> tuple[str, ...]:
    """Keep the manifest; that it cannot be kept does not spoil the answer."""
    kept = manifests.bounded(manifest)
    if kept is None:
        return ("the manifest is too large to be kept",)
    try:
        stored.save(engine.history, kept)
    except BackstoryError as error:
        return (f"the manifest was not kept: {error}",)
    return ()


def _seq(given: Context, position: int | None) -> int | None:
    return given.items[position].seq if position is not None else None


def _cost(text: str) -> int:
    return CHARS.plain("user", text)
