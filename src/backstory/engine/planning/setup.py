"""What holds for a call before its messages are planned: settings, model, profile, calibration and limits.

The model is the one that the caller names or describes, else the newest that the branch of the call used. Before it:
`settings`, `models`, `learning`. After it: `plan`.
"""

from collections.abc import Callable

import msgspec

from backstory.config import keys
from backstory.engine import settings
from backstory.engine.context import Context
from backstory.engine.open import Engine
from backstory.engine.planning import estimators, learning, models
from backstory.engine.planning.call import Call, Gathered, Terms
from backstory.engine.planning.gate import Gate
from backstory.errors import UsageError
from backstory.plan import budget as budgets
from backstory.plan import cache
from backstory.plan.calibrate import tune
from backstory.plan.placement import PLACEMENTS
from backstory.records.browsing import SessionRow
from backstory.records.budget import Budget, Calibration, Model, Profile, Tuning
from backstory.records.config import Config
from backstory.records.planning import PlanRequest
from backstory.records.settings import Loaded
from backstory.text.tokens import Estimator

PROJECT_SHARE = 0.15


class Setup(msgspec.Struct):
    """What is known before the messages of a call are. `named` is the caller's model, `room` its hard limit."""

    loaded: Loaded
    named: Model | None
    model: Model
    known: Profile
    estimator: Estimator
    room: int
    warnings: tuple[str, ...] = ()


def check(request: PlanRequest) -> None:
    """Refuse sizes and words that make no sense.

    Raises:
        UsageError: says which.
    """
    if request.placement is not None and request.placement not in PLACEMENTS:
        raise UsageError(f"--placement is one of {', '.join(PLACEMENTS)}, not {request.placement!r}")
    if request.cache is not None and request.cache not in cache.MODES:
        raise UsageError(f"--cache is one of {', '.join(cache.MODES)}, not {request.cache!r}")
    if request.at is not None and request.leaf is not None:
        raise UsageError("choose --at or --leaf: both say where a call goes on from")
    for name in ("budget", "window", "max_output"):
        value = getattr(request, name)
        if value is not None and value <= 0:
            raise UsageError(f"--{name.replace('_', '-')} must be positive, not {value}")
    if request.fixed < 0:
        raise UsageError(f"--fixed cannot be negative, as {request.fixed} is")
    if max(request.fixed, request.budget or 0, request.window or 0, request.max_output or 0) > keys.MOST:
        raise UsageError(f"no number of tokens may be above {keys.MOST}")


def prepare(engine: Engine, request: PlanRequest, row: SessionRow, loaded: Loaded | None, host: Model | None) -> Setup:
    """Settings, model and limits as far as the request, the host and the index know them.

    Raises:
        UsageError: the model is not PROVIDER/ID.
    """
    loaded = loaded if loaded is not None else settings.effective(engine, row.cwd)
    named = models.chosen(request, host)
    return _setup(request, loaded, named, named or models.guessed(row))


def opened(engine: Engine, request: PlanRequest, setup: Setup, look: Callable[[Setup], Context], terms: Terms) -> Call:
    """The call over the context that `look` gives for a setup.

    Raises:
        UnknownSessionError, AmbiguousSessionError, UnknownEntryError: nothing, or too much, is called that.
    """
    context = look(setup)
    settled = settle(engine, request, setup, context)
    if settled.estimator.version != setup.estimator.version:
        context = look(settled)
    return over(engine, request, context, settled, terms)


def settle(engine: Engine, request: PlanRequest, setup: Setup, context: Context) -> Setup:
    """The setup for the model that the branch names, with the prices that its log states."""
    said = models.recorded(engine, context)
    if setup.named is None:
        return _setup(request, setup.loaded, None, said)
    return _setup(request, setup.loaded, setup.named, models.priced(setup.named, said))


def over(engine: Engine, request: PlanRequest, context: Context, setup: Setup, terms: Terms) -> Call:
    """The call over a context: what is known of its model by now makes its limits."""
    config, known = setup.loaded.config, setup.known
    learnt = learning.learnt(engine, context, known) if config.calibration.enabled else ()
    calibration = learning.calibration(engine, known, learnt, config.calibration)
    tuning = _tuning(known, config, calibration)
    limits = _budget(request, known, config, calibration, tuning)
    told = (models.unsure(setup.model, known, request, config), models.narrow(limits, request))
    return Call(
        engine=engine,
        request=request,
        context=context,
        gate=Gate(config.privacy, known.provider, context.transcript, setup.estimator),
        known=known,
        limits=limits,
        calibration=calibration,
        tuning=tuning,
        config=config,
        estimator=setup.estimator,
        terms=terms,
        learnt=learnt,
        gathered=Gathered([*setup.loaded.warnings, *setup.warnings, *filter(None, told)]),
    )


def _setup(request: PlanRequest, loaded: Loaded, named: Model | None, model: Model) -> Setup:
    config = loaded.config
    known = models.resolved(model, request, config)
    estimator, warning = estimators.named(known.estimator)
    known = msgspec.structs.replace(known, estimator=estimator.version)
    room = request.budget + request.fixed if request.budget is not None else budgets.allocate(known, config.budget).hard
    return Setup(loaded, named, model, known, estimator, room, (warning,) if warning else ())


def _budget(request: PlanRequest, known: Profile, config: Config, calibration: Calibration, tuning: Tuning) -> Budget:
    """The budget of the call.

    One given in tokens bounds all messages together, and the tail may fill it; it is taken at its word, whatever
    answered calls say about estimates.
    """
    limits, options = config.budget, config.context
    if request.budget is None:
        made = budgets.allocate(known, limits, calibration, tuning)
        share, card = made.card + made.excerpts, made.card
    else:
        made = budgets.allocate(known, limits)
        hard, tokens = request.budget + request.fixed, request.budget
        project = min(made.project, int(tokens * PROJECT_SHARE))
        bounds = {"hard": hard, "soft": hard, "target": hard, "active": hard, "tail": tokens, "project": project}
        made = msgspec.structs.replace(made, **bounds)
        share = int(tokens * limits.supplement_share)
        card = int(share * limits.card_share)
    return msgspec.structs.replace(
        made, card=card if options.card else 0, excerpts=share - card if options.excerpts else 0
    )


def _tuning(known: Profile, config: Config, calibration: Calibration) -> Tuning:
    plain = budgets.allocate(known, config.budget)
    return tune(calibration, plain.nominal_target, plain.nominal_hard, enabled=config.calibration.auto_tune)
