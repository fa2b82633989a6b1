"""Plans a model call end to end: native context, budgets, evidence, the pure planner, and the manifest.

The planner runs twice: first to learn which messages will be committed, then with the evidence that is worth adding
beside them. The caller always gets a list to send, at worst the agent's own. Neighbours: `context` reads what a call
sees, `gathering` what may be added, `answering` makes and keeps the answer.
"""

from collections.abc import Sequence

import msgspec

from backstory.engine import answering, artifacts, context, gathering
from backstory.engine.call import Call
from backstory.engine.context import Context
from backstory.engine.guarding import Gate
from backstory.engine.index import problems, sync
from backstory.engine.open import Engine
from backstory.errors import UsageError
from backstory.plan import budget as budgets
from backstory.plan import cache, planner, profile
from backstory.plan.calibrate import calibrate
from backstory.plan.explain import explain
from backstory.plan.place import PLACEMENTS
from backstory.records.budget import Bounds, Budget, Calibration, Limits, Model, Profile
from backstory.records.message import Message, Text
from backstory.records.plan import Group, Item, Plan, PlanInput, Supplement
from backstory.records.planning import Planned, PlanRequest
from backstory.records.privacy import Policy
from backstory.store import manifests as stored
from backstory.text import hashing
from backstory.text.tokens import CHARS

WINDOW_TOKENS = 200_000
PROJECT_SHARE = 0.15
_NO_POLICY = Policy()


def plan(engine: Engine, request: PlanRequest, *, policy: Policy = _NO_POLICY) -> Planned:
    """The messages of one call and their manifest, which is stored once the answer is made.

    Raises:
        UnknownSessionError, AmbiguousSessionError, UnknownEntryError: nothing, or too much, is called that.
        UsageError, InvalidConfigError: a size, the placement or the policy makes no sense.
    """
    model = _model(request)
    gate = Gate(policy, model.provider)
    report = None if request.no_sync else sync(engine, budget_ms=3_000)
    started = engine.clock()
    with engine.history.read():
        known = profile.resolve(model)
        calibration = calibrate(stored.samples(engine.history, known.key, Bounds().window), Bounds())
        limits = _budget(request, known, calibration)
        given = context.load(engine, request.session, at=request.at, leaf=request.leaf, hard=limits.hard)
        call = Call(engine, request, given, gate, known, limits, calibration)
        final, decided = _planned(call)
        sent = answering.messages(call, final, decided)
        spent = (engine.clock() - started) * 1_000
        manifest = answering.manifest(call, final, decided, sent, spent)
    manifest = answering.keep(call, manifest)
    told = (*(problems(report) if report else ()), *given.problems)
    return Planned(sent, manifest, tuple(explain(manifest)), told)


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
    bounds = {"hard": hard, "soft": hard, "target": hard, "active": hard}
    project = min(made.project, int(request.budget * PROJECT_SHARE))
    return msgspec.structs.replace(
        made, **bounds, tail=request.budget, card=card, excerpts=share - card, project=project
    )


def _planned(call: Call) -> tuple[PlanInput, Plan]:
    call.gate.context(call.given)
    call.condensed += artifacts.condense_context(call.given)
    if call.request.request:
        _ask(call.given, call.request.request)
    gathering.kept(call)
    gathering.source(call)
    gathering.earlier(call, _first(call))
    return _decide(call, call.gate.supplements(call.supplements))


def _ask(given: Context, text: str) -> None:
    """Put what the user asks next behind the context."""
    message = Message("user", (Text(text),))
    item = Item(CHARS.message(message), "user", kind="prompt", hash=hashing.of_text(text))
    at = len(given.items)
    given.items.append(item)
    given.messages.append(message)
    given.groups.append(Group("turn", (at,), item.tokens, f"group:{at}-{at}"))


def _first(call: Call) -> Plan:
    """The plan that tells which messages are committed; room is kept for evidence only when something stays out."""
    _, alone = _decide(call, call.supplements)
    compacted = len(call.given.branch) > len(call.given.items)
    if not compacted and not any(item.positions for item in alone.excluded):
        return alone
    wanted = (
        Supplement("card", "card", "", call.limits.card, ("x",)),
        Supplement("excerpts", "excerpt", "", call.limits.excerpts, ("x",)),
    )
    return _decide(call, [*call.supplements, *wanted])[1]


def _decide(call: Call, supplements: Sequence[Supplement]) -> tuple[PlanInput, Plan]:
    """A plan all of whose messages were read: missing ones are read, checked and condensed, and it is made again."""
    while True:
        final = _input(call, supplements)
        decided = _plan(final)
        new = context.complete(call.given, decided.positions)
        if not new:
            return final, decided
        call.gate.context(call.given, new)
        call.condensed += artifacts.condense_context(call.given, new)


def _plan(final: PlanInput) -> Plan:
    """The plan, or the agent's own list when planning itself breaks: a caller always has something to send."""
    try:
        return planner.plan(final)
    except Exception as error:  # noqa: BLE001 - no defect of the planner may cost the call
        return planner.native_plan(final, f"planning failed: {type(error).__name__}")


def _input(call: Call, supplements: Sequence[Supplement]) -> PlanInput:
    return PlanInput(
        items=tuple(call.given.items),
        groups=tuple(call.given.groups),
        budget=call.limits,
        supplements=tuple(supplements),
        fixed=call.request.fixed,
        pinned=call.given.pinned,
        placement=call.request.placement,
        keep_from=_steady_start(call.given, call.limits) if call.request.steady else None,
    )


def _steady_start(given: Context, limits: Budget) -> str | None:
    """The entry that a steady tail starts at: the largest tail leaves room for card and excerpts."""
    room = min(limits.tail, limits.active - limits.card - limits.excerpts)
    start = cache.grid_start(given.sizes, room)
    return given.items[start].entry_id if 0 < start < len(given.items) else None
