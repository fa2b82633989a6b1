"""Turns a decided plan into the answer: messages in sending order, their manifest, and what is kept of both."""

from collections.abc import Sequence
from contextlib import suppress

import msgspec

from backstory.engine import artifacts, evidence
from backstory.engine.call import Call
from backstory.errors import BackstoryError
from backstory.plan import cache
from backstory.plan import manifest as manifests
from backstory.plan.diff import same_prefix
from backstory.records.manifest import Line, Manifest
from backstory.records.plan import CacheReport, Included, Plan, PlanInput
from backstory.records.planning import PlannedMessage
from backstory.store import manifests as stored
from backstory.text import hashing


def messages(call: Call, final: PlanInput, decided: Plan) -> tuple[PlannedMessage, ...]:
    """The messages of a plan."""
    return tuple(_message(call, final, chosen) for chosen in decided.included)


def manifest(call: Call, final: PlanInput, decided: Plan, sent: Sequence[PlannedMessage], spent_ms: float) -> Manifest:
    """The manifest of a plan that took `spent_ms` milliseconds to make."""
    included, excluded = manifests.lines(final, decided)
    digest = hashing.of_value([(message.role, message.content) for message in sent])
    now = call.engine.now()
    entries = {message.entry_id or str(message.seq) for message in sent}
    made = Manifest(
        id=hashing.of_value((call.given.session, now, digest))[:32],
        session=call.given.session,
        created=now,
        provider=call.known.provider,
        model=call.known.model,
        budget=final.budget,
        estimated_input=decided.fixed + decided.tokens,
        composition=manifests.composition(decided, call.request.fixed),
        planning=manifests.planning(decided, call.request.placement, spent_ms),
        included=included,
        excluded=excluded,
        prompt_hash=digest,
        leaf=call.given.leaf.entry_id if call.given.leaf is not None else None,
        call=call.given.answered_by,
        estimator=call.known.estimator,
        summaries=_sources(included, "summary"),
        retrieved=_sources(included, "retrieval"),
        pins=_sources(included, "pin"),
        memories=_sources(included, "memory"),
        snippets=tuple(one for one in call.snippets if one.id in _sources(included, "project")),
        artifacts=tuple(one.ref for one in call.condensed if one.ref.entry in entries),
        project=call.project,
        privacy=call.gate.report(),
        calibration=call.calibration,
        warnings=tuple(call.warnings),
    )
    return msgspec.structs.replace(made, cache=_reuse(call, made))


def keep(call: Call, made: Manifest) -> Manifest:
    """Keep what later calls and questions need; what cannot be kept is told in the manifest and spoils nothing."""
    warnings = _store(call, made)
    referred = {ref.id for ref in made.artifacts}
    with suppress(BackstoryError):
        artifacts.keep(call.engine, call.given, [one for one in call.condensed if one.ref.id in referred])
    if call.working is not None and not call.gate.policy.enabled:
        with suppress(BackstoryError):
            evidence.keep(call.engine, call.given, call.working)
    return msgspec.structs.replace(made, warnings=(*made.warnings, *warnings)) if warnings else made


def _message(call: Call, final: PlanInput, chosen: Included) -> PlannedMessage:
    if chosen.position is None:
        supplement = final.supplements[chosen.supplement or 0]
        content = [{"type": "text", "text": supplement.text}]
        return PlannedMessage("user", chosen.kind, None, None, chosen.group, chosen.tokens, content)
    item, message = call.given.items[chosen.position], call.given.messages[chosen.position]
    blocks = msgspec.to_builtins(message.blocks) if message is not None else []
    return PlannedMessage(item.role, chosen.kind, item.entry_id, item.seq, chosen.group, chosen.tokens, list(blocks))


def _sources(lines: Sequence[Line], kind: str) -> tuple[str, ...]:
    return tuple(line.source or "" for line in lines if line.kind == kind)


def _reuse(call: Call, made: Manifest) -> CacheReport:
    """What a provider's cache may hold of this call since the one planned before it, and what the call then costs."""
    before = stored.latest(call.engine.history, made.session)
    prefix = same_prefix(before, made) if before is not None else 0
    reusable = sum(line.tokens for line in made.included[:prefix])
    dollars = cache.cost(call.known.prices, made.estimated_input, reusable)
    return CacheReport(tail=made.planning.tail_limit, reusable=reusable, cost=dollars)


def _store(call: Call, made: Manifest) -> tuple[str, ...]:
    kept = manifests.bounded(made)
    if kept is None:
        return ("the manifest is too large to be kept",)
    try:
        stored.save(call.engine.history, kept)
    except BackstoryError as error:
        return (f"the manifest was not kept: {error}",)
    return ()
