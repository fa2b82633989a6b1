"""Turns a decided plan into the answer: messages in sending order, their manifest, and what is kept of both."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import msgspec

from backstory.engine import artifacts, summaries
from backstory.engine.context import Context
from backstory.engine.planning import evidence
from backstory.engine.planning.call import Call
from backstory.engine.transcript.session import Content
from backstory.errors import BackstoryError
from backstory.plan import cache
from backstory.plan import manifest as manifests
from backstory.records.base import Record
from backstory.records.manifest import Line, Manifest, ModelSwitch, Retrieval, Trace
from backstory.records.message import Message
from backstory.records.plan import CacheReport, CacheState, Included, Plan, PlanInput
from backstory.records.planning import PlannedMessage
from backstory.records.summary import SummaryRef
from backstory.store import manifests as stored
from backstory.text import canonical, hashing


def messages(call: Call, final: PlanInput, decided: Plan) -> tuple[PlannedMessage, ...]:
    """The messages of a plan."""
    return tuple(_message(call, final, chosen) for chosen in decided.included)


class Head(Record, frozen=True):
    """What a manifest says of the moment the call was planned in: settled then, while the rest can be made later."""

    id: str
    created: int
    prompt_hash: str
    leaf: str | None
    spent_ms: float


def head(call: Call, decided: Plan, sent: Sequence[PlannedMessage], spent_ms: float) -> Head:
    """The head of the manifest of a plan that took `spent_ms` milliseconds to make."""
    pairs = zip(sent, decided.included, strict=True)
    digest = hashing.of_encoded(_encoded(call, message, chosen) for message, chosen in pairs)
    now, leaf = call.engine.now(), call.given.leaf
    name = hashing.of_value((call.given.session, now, digest))[:32]
    return Head(name, now, digest, (leaf.entry_id or str(leaf.seq)) if leaf is not None else None, spent_ms)


def manifest(call: Call, final: PlanInput, decided: Plan, sent: Sequence[PlannedMessage], known: Head) -> Manifest:
    """The manifest of a plan."""
    included, excluded = manifests.lines(final, decided)
    entries = {message.entry_id or str(message.seq) for message in sent}
    made = Manifest(
        id=known.id,
        session=call.given.session,
        created=known.created,
        provider=call.known.provider,
        model=call.known.model,
        budget=final.budget,
        estimated_input=decided.fixed + decided.tokens,
        composition=manifests.composition(decided, call.request.fixed),
        planning=manifests.planning(decided, call.placement, known.spent_ms),
        included=included,
        excluded=excluded,
        prompt_hash=known.prompt_hash,
        leaf=known.leaf,
        call=call.given.answered_by,
        estimator=call.known.estimator,
        summaries=_sources(included, "summary"),
        provenance=_provenance(call, included),
        retrieved=_quoted(call, included),
        retrieval=_retrieval(call),
        pins=_sources(included, "pin"),
        memories=_sources(included, "memory"),
        snippets=tuple(one for one in call.snippets if one.id in _sources(included, "project")),
        artifacts=tuple(one.ref for one in call.condensed if one.ref.entry in entries),
        project=call.project,
        privacy=call.gate.report(),
        calibration=call.calibration,
        switch=_switch(call),
        tuning=call.tuning,
        warnings=tuple(call.warnings),
    )
    return msgspec.structs.replace(made, cache=_reuse(call, made))


def previous(call: Call) -> Trace | None:
    """What is left of the call that was planned before this one in the session."""
    passing = call.engine.unsaved.calls(call.given.session)
    if passing:
        return msgspec.convert(passing[0], Trace, from_attributes=True)
    return stored.trace(call.engine.history, call.given.session)


def epoch(call: Call) -> CacheState:
    """How the longer tail fared so far on this branch."""
    before = call.before
    if before is None or before.cache is None or before.leaf not in call.given.branch_ids:
        return CacheState()
    return CacheState(before.cache.extended, before.cache.losses)


def weighed(call: Call, nominal: Plan, longer: Plan) -> CacheReport:
    """The report on a tail that may be longer: whether it is used from now on."""
    state = cache.extend(call.cache_policy, epoch(call), _costs(call, nominal), _costs(call, longer))
    candidate = "cache-aware" if state.adopted else "nominal"
    return msgspec.structs.replace(call.cache, extended=state.adopted, losses=state.losses, candidate=candidate)


def _costs(call: Call, plan: Plan) -> tuple[float, float]:
    """What a call costs that reuses nothing, and one that reuses all but its newest message."""
    total = plan.fixed + plan.tokens
    newest = plan.included[-1].tokens if plan.included else 0
    prices = call.known.prices
    return cache.cost(prices, total, 0) or 0.0, cache.cost(prices, total, total - newest) or 0.0


def keep(call: Call, made: Manifest) -> Manifest:
    """Keep what later calls and questions need; what cannot be kept is told in the manifest and spoils nothing."""
    warnings = _store(call, made)
    if call.ephemeral:
        return made
    referred = {ref.id for ref in made.artifacts}
    with suppress(BackstoryError):
        artifacts.keep(call.engine, call.given, [one for one in call.condensed if one.ref.id in referred])
    if call.working is not None and not call.gate.policy.enabled:
        with suppress(BackstoryError):
            evidence.keep(call.engine, call.given)
    return msgspec.structs.replace(made, warnings=(*made.warnings, *warnings)) if warnings else made


def _message(call: Call, final: PlanInput, chosen: Included) -> PlannedMessage:
    if chosen.position is None:
        supplement = final.supplements[chosen.supplement or 0]
        content = [{"type": "text", "text": supplement.text}]
        return PlannedMessage("user", chosen.kind, None, None, chosen.group, chosen.tokens, content)
    item = call.given.items[chosen.position]
    content = _content(call.given, chosen.position)
    return PlannedMessage(item.role, chosen.kind, item.entry_id, item.seq, chosen.group, chosen.tokens, content)


def _content(given: Context, at: int) -> list[dict[str, Any]]:
    """The blocks of a native message, made once as long as it is the same message."""
    message = given.messages[at]
    if at >= len(given.entries) or message is None:
        return _blocks(message)
    known = given.transcript.contents.get(given.entries[at])
    if known is None or known.message is not message:
        blocks = _blocks(message)
        known = Content(message, blocks, canonical.encode((given.items[at].role, blocks)))
        given.transcript.contents[given.entries[at]] = known
    return known.blocks


def _blocks(message: Message | None) -> list[dict[str, Any]]:
    return list(msgspec.to_builtins(message.blocks)) if message is not None else []


def _encoded(call: Call, message: PlannedMessage, chosen: Included) -> bytes:
    """The canonical JSON of role and content of a message that is sent."""
    entries, at = call.given.entries, chosen.position
    known = call.given.transcript.contents.get(entries[at]) if at is not None and at < len(entries) else None
    if known is not None and known.blocks is message.content:
        return known.encoded
    return canonical.encode((message.role, message.content))


def _quoted(call: Call, included: Sequence[Line]) -> tuple[str, ...]:
    """The entries that quotations in the call come from."""
    sources = {one.id: one.sources for one in call.supplements if one.kind == "retrieval"}
    return tuple(entry for id_ in _sources(included, "retrieval") for entry in sources.get(id_, (id_,)))


def _provenance(call: Call, included: Sequence[Line]) -> tuple[SummaryRef, ...]:
    """How the summaries in the call came about, as far as the log tells."""
    seqs = {line.seq for line in included if line.kind == "summary" and line.seq is not None}
    transcript = call.given.transcript
    placed = [transcript.entries[transcript.at(seq)] for seq in sorted(seqs)]
    return summaries.references(call.given.row.source, call.given.row.path, placed)


def _retrieval(call: Call) -> Retrieval | None:
    found = call.recalled
    if found is None:
        return None
    return Retrieval(found.status, found.candidates, found.committed, found.duplicates, found.alternates)


def _sources(lines: Sequence[Line], kind: str) -> tuple[str, ...]:
    return tuple(line.source or "" for line in lines if line.kind == kind)


def _reuse(call: Call, made: Manifest) -> CacheReport:
    """What a provider's cache may hold of this call since the one planned before it, and what the call then costs."""
    reusable = 0
    if call.before is not None and not _switch(call).switched:
        prefix = cache.common([line.hash for line in call.before.included], [line.hash for line in made.included])
        # What a host sends before the messages, its system prompt and tools, stays as it is within a session.
        reusable = call.request.fixed + sum(line.tokens for line in made.included[:prefix])
    prices, total = call.known.prices, made.estimated_input
    as_new = reusable > 0 and prices.cache_read is None and prices.input is not None
    if as_new:
        prices = msgspec.structs.replace(prices, cache_read=prices.input)
    new, cached = cache.cost(prices, total - reusable, 0), cache.cost(prices, reusable, reusable)
    known = new is not None and cached is not None
    return msgspec.structs.replace(
        call.cache,
        mode=call.cache_policy.mode,
        tail=made.planning.tail_limit,
        reusable=reusable,
        cost=round(new + cached, 6) if new is not None and cached is not None else None,
        new=new if known else None,
        cached=cached if known else None,
        as_new=as_new,
    )


def _switch(call: Call) -> ModelSwitch:
    """Whether the model is another one than that of the call before: then nothing of it is in a cache."""
    before, now = call.before, f"{call.known.provider}/{call.known.model}"
    reused, source = call.calibration.observed > 0, call.switch or "context"
    if before is None:
        return ModelSwitch(source, switched=False, reused=reused)
    previous = f"{before.provider}/{before.model}"
    switched = previous != now
    disposition = "cold-model-switch" if switched else "eligible"
    return ModelSwitch(source, switched, previous, reused, disposition)


def _store(call: Call, made: Manifest) -> tuple[str, ...]:
    if call.ephemeral or not call.config.manifests.store:
        call.engine.unsaved.keep(made)
        return ()
    kept = manifests.bounded(made)
    if kept is None:
        return ("the manifest is too large to be kept",)
    try:
        profile = call.known.key
        stored.save(call.engine.history, kept, call.config.manifests.keep, [(profile, *one) for one in call.learnt])
    except BackstoryError as error:
        return (f"the manifest was not kept: {error}",)
    return ()
