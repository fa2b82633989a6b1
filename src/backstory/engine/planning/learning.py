"""What calls that were answered teach: the samples that calibration is made from, stored or of this engine alone.

A host reports what its provider counted (`manifests.answered`). Of calls that an agent made by itself its log tells;
those are learnt from when a session is planned, but not in a session whose calls were planned and so were different.
"""

from collections.abc import Sequence

from backstory.engine.context import Context
from backstory.engine.open import Engine
from backstory.engine.planning import models
from backstory.plan import usage
from backstory.plan.calibrate import calibrate
from backstory.records.budget import Bounds, Calibration, Profile, Sample
from backstory.store import manifests as stored

Learnt = tuple[str, Sample]


def learnt(engine: Engine, context: Context, known: Profile) -> tuple[Learnt, ...]:
    """Samples of a model in a session's log that are not stored yet, the oldest first, each with its name there."""
    if stored.reported(engine.history, context.session):
        return ()
    answers = models.answers(context)
    if len(answers) < 2:
        return ()
    found = usage.samples(answers, f"{known.provider}/{known.model}")[-stored.SAMPLES :]
    named = {f"log:{context.session}:{seq}@{known.estimator}": sample for seq, sample in found}
    old = stored.known(engine.history, list(named))
    return tuple((name, sample) for name, sample in named.items() if name not in old)


def calibration(engine: Engine, known: Profile, fresh: Sequence[Learnt], bounds: Bounds) -> Calibration:
    """The calibration of a profile from its newest samples."""
    newest = [sample for _, sample in reversed(fresh)]
    passing = engine.unsaved.samples(known.key)
    before = stored.samples(engine.history, known.key, bounds.window)
    return calibrate([*passing, *newest, *before][: bounds.window], bounds)
