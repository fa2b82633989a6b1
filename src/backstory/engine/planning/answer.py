"""Turns a decided plan into the answer: messages in sending order, their manifest, and what is kept of both.

Neighbours: `engine.planning.plan` decides, `engine.planning.reuse` says what a provider's cache makes of the call.
"""

import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import closing, suppress
from typing import Any

import msgspec

from backstory.engine import summaries
from backstory.engine.artifacts import condense
from backstory.engine.context import Context
from backstory.engine.planning import evidence, reuse
from backstory.engine.planning.call import Call
from backstory.engine.transcript.prepared import PreparedContent
from backstory.errors import BackstoryError
from backstory.plan import manifest as manifests
from backstory.plan.memory import select as memory_select
from backstory.records.base import Record
from backstory.records.manifest import ArtifactRef, Asked, KeptRef, Line, Manifest, Retrieval
from backstory.records.message import Message
from backstory.records.plan import Included, Plan, PlanInput
from backstory.records.planning import PlannedMessage
from backstory.records.summary import SummaryRef
from backstory.store import manifests as stored
from backstory.store.history import open_history
from backstory.text import hashing


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
    digest = hashing.of_digests([_digest(call, message, chosen) for message, chosen in pairs])
    now, leaf = call.engine.now(), call.context.leaf
    name = hashing.of_value((call.context.session, now, digest))[:32]
    return Head(name, now, digest, (leaf.entry_id or str(leaf.seq)) if leaf is not None else None, spent_ms)


def manifest(call: Call, final: PlanInput, decided: Plan, sent: Sequence[PlannedMessage], known: Head) -> Manifest:
    """The manifest of a plan."""
    included, excluded = manifests.lines(final, decided)
    sources = _sources(included)
    made = Manifest(
        id=known.id,
        session=call.context.session,
        created=known.created,
        provider=call.known.provider,
        model=call.known.model,
        budget=final.budget,
        estimated_input=decided.fixed + decided.tokens,
        composition=manifests.composition(decided, call.terms.tools),
        planning=manifests.planning(decided, call.placement, known.spent_ms),
        included=included,
        excluded=(*excluded, *call.gate.refused),
        prompt_hash=known.prompt_hash,
        leaf=known.leaf,
        call=call.context.answered_by,
        estimator=call.known.estimator,
        summaries=tuple(sources["summary"]),
        provenance=_provenance(call, included),
        retrieved=_quoted(call, sources["retrieval"]),
        retrieval=_retrieval(call),
        pins=tuple(sources["pin"]),
        memories=tuple(sources["memory"]),
        kept=_kept(call, sources),
        snippets=tuple(one for one in call.ranges.snippets if one.id in sources["project"]),
        artifacts=_artifacts(call, included, {message.entry_id or str(message.seq) for message in sent}),
        project=call.ranges.root,
        revision=call.ranges.revision,
        tools=(call.terms.tools.names or ()) if call.terms.tools is not None else (),
        privacy=call.gate.report(),
        calibration=call.calibration,
        switch=reuse.switch(call),
        tuning=call.tuning,
        warnings=tuple(dict.fromkeys(call.warnings)),
        observed=call.terms.observed,
        asked=Asked(call.request.budget, call.known.max_output),
    )
    return msgspec.structs.replace(made, cache=reuse.report(call, made))


def keep(call: Call, made: Manifest) -> Manifest:
    """Keep what later calls and questions need; what cannot be kept is told in the manifest and spoils nothing."""
    made = _with_objects(call, made)
    warnings = _store(call, made)
    if warnings:
        made = msgspec.structs.replace(made, warnings=tuple(dict.fromkeys((*made.warnings, *warnings))))
        call.engine.unsaved.keep(made)
    if call.terms.ephemeral:
        return made
    if call.working is not None and not call.gate.policy.enabled:
        with suppress(BackstoryError):
            evidence.keep(call.engine, call.context)
    return made


def _with_objects(call: Call, made: Manifest) -> Manifest:
    """The manifest with the names of the bytes that are kept of large results, as far as they could be."""
    referred = {ref.id for ref in made.artifacts}
    if call.terms.ephemeral or call.terms.observed or not referred:
        return made
    try:
        digests = condense.keep(call.engine, call.context, [one for one in call.condensed if one.ref.id in referred])
    except BackstoryError:
        return made
    named = tuple(msgspec.structs.replace(ref, sha256=digests.get(ref.id)) for ref in made.artifacts)
    return msgspec.structs.replace(made, artifacts=named)


def _message(call: Call, final: PlanInput, chosen: Included) -> PlannedMessage:
    if chosen.position is None:
        supplement = final.supplements[chosen.supplement or 0]
        content = [{"type": "text", "text": supplement.text}]
        return PlannedMessage("user", chosen.kind, None, None, chosen.group, chosen.tokens, content)
    item = call.context.items[chosen.position]
    content = _content(call.context, chosen.position)
    return PlannedMessage(item.role, chosen.kind, item.entry_id, item.seq, chosen.group, chosen.tokens, content)


def _content(context: Context, at: int) -> list[dict[str, Any]]:
    """The blocks of a native message, made once as long as it is the same message."""
    message = context.messages[at]
    if at >= len(context.entries) or message is None:
        return _blocks(message)
    known = context.transcript.prepared.contents.get(context.entries[at])
    if known is None or known.message is not message:
        blocks = _blocks(message)
        known = PreparedContent(message, blocks, hashing.digest((context.items[at].role, blocks)))
        context.transcript.prepared.contents[context.entries[at]] = known
    return known.blocks


def _blocks(message: Message | None) -> list[dict[str, Any]]:
    return list(msgspec.to_builtins(message.blocks)) if message is not None else []


def _digest(call: Call, message: PlannedMessage, chosen: Included) -> bytes:
    """The digest of role and content of a message that is sent, made once as long as it is the same message."""
    entries, at = call.context.entries, chosen.position
    known = call.context.transcript.prepared.contents.get(entries[at]) if at is not None and at < len(entries) else None
    if known is not None and known.blocks is message.content:
        return known.digest
    return hashing.digest((message.role, message.content))


def _quoted(call: Call, quotations: Sequence[str]) -> tuple[str, ...]:
    """The entries that quotations in the call come from."""
    sources = {one.id: one.sources for one in call.supplements if one.kind == "retrieval"}
    return tuple(entry for id_ in quotations for entry in sources.get(id_, (id_,)))


def _kept(call: Call, sources: Mapping[str, Sequence[str]]) -> tuple[KeptRef, ...]:
    """Where the pins and memories in the call come from."""
    sent = {(kind, name) for kind in ("pin", "memory") for name in sources[kind]}
    return tuple(memory_select.reference(item) for item in call.kept if (item.kind, item.id) in sent)


def _artifacts(call: Call, included: Sequence[Line], sent: AbstractSet[str]) -> tuple[ArtifactRef, ...]:
    """The large results that stand in the call as references."""
    found = [one.ref for one in call.condensed if one.ref.entry in sent]
    levels = {line.source or str(line.seq): line.level for line in included} if found else {}
    return tuple(msgspec.structs.replace(ref, level=levels.get(ref.entry, ref.level)) for ref in found)


def _provenance(call: Call, included: Sequence[Line]) -> tuple[SummaryRef, ...]:
    """How the summaries in the call came about, as far as the log tells."""
    seqs = {line.seq for line in included if line.kind == "summary" and line.seq is not None}
    transcript = call.context.transcript
    placed = [transcript.entries[transcript.at(seq)] for seq in sorted(seqs)]
    return summaries.references(call.context.row.source, call.context.row.path, placed)


def _retrieval(call: Call) -> Retrieval | None:
    found = call.recalled
    if found is None:
        return None
    return Retrieval(found.status, found.candidates, found.committed, found.duplicates, found.alternates)


def _sources(lines: Sequence[Line]) -> defaultdict[str, list[str]]:
    """What the lines of each kind come from."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for line in lines:
        found[line.kind].append(line.source or "")
    return found


def _store(call: Call, made: Manifest) -> tuple[str, ...]:
    """Keep a manifest on disk or, where nothing may be kept there, for this process; why it could not be kept."""
    if call.terms.ephemeral or not call.config.manifests.store:
        call.engine.unsaved.keep(made)
        return ()
    kept = manifests.bounded(made)
    if kept is None:
        return ("the manifest is too large to be kept",)
    try:
        _save(call, kept)
    except BackstoryError as error:
        return (f"the manifest was not kept: {error}",)
    return ()


def _save(call: Call, kept: Manifest) -> None:
    """Save a manifest, once more where another process put a new index in the place of the one that is open here."""
    learnt, history = [(call.known.key, *one) for one in call.learnt], call.engine.history
    stored.save(history, kept, call.config.manifests.keep, learnt)
    if history.stands() or not os.path.exists(history.path):
        return
    with closing(open_history(history.path)) as other:
        if stored.get(other, kept.id) is None:
            stored.save(other, kept, call.config.manifests.keep, learnt)
