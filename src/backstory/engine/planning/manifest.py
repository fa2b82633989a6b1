"""The manifest of one planned call: what went in, what stayed out and why, where it comes from and what it was made by.

Its head is settled while the call is planned, the rest may be made later. Neighbours: `engine.planning.decision` makes
the plan, `plan.manifest` says what there is to say of it alone, `engine.planning.reuse` what a provider's cache makes
of the call, `engine.planning.keeping` keeps it.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet

import msgspec

from backstory.engine import summaries
from backstory.engine.planning import answer, reuse
from backstory.engine.planning.call import Call
from backstory.plan import manifest as parts
from backstory.plan.memory import select as memory_select
from backstory.records.base import Record
from backstory.records.manifest import ArtifactRef, Asked, KeptRef, Line, Manifest, Retrieval
from backstory.records.plan import Plan, PlanInput
from backstory.records.planning import PlannedMessage
from backstory.records.summary import SummaryRef
from backstory.text import hashing


class ManifestHead(Record, frozen=True):
    """What a manifest says of the moment the call was planned in: settled then, while the rest can be made later."""

    id: str
    created: int
    prompt_hash: str
    leaf: str | None
    spent_ms: float


def head(call: Call, decided: Plan, sent: Sequence[PlannedMessage], spent_ms: float) -> ManifestHead:
    """The head of the manifest of a plan that took `spent_ms` milliseconds to make."""
    digest = hashing.of_digests(answer.digests(call, decided, sent))
    now, leaf = call.engine.now(), call.context.leaf
    name = hashing.of_value((call.context.session, now, digest))[:32]
    return ManifestHead(name, now, digest, (leaf.entry_id or str(leaf.seq)) if leaf is not None else None, spent_ms)


def manifest(
    call: Call, final: PlanInput, decided: Plan, sent: Sequence[PlannedMessage], known: ManifestHead
) -> Manifest:
    """The manifest of a plan."""
    included, excluded = parts.lines(final, decided)
    sources = _sources(included)
    made = Manifest(
        id=known.id,
        session=call.context.session,
        created=known.created,
        provider=call.known.provider,
        model=call.known.model,
        budget=final.budget,
        estimated_input=decided.fixed + decided.tokens,
        composition=parts.composition(decided, call.terms.tools),
        planning=parts.planning(decided, call.placement, known.spent_ms),
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
        snippets=tuple(one for one in call.gathered.ranges.snippets if one.id in sources["project"]),
        artifacts=_artifacts(call, included, {message.entry_id or str(message.seq) for message in sent}),
        project=call.gathered.ranges.root,
        revision=call.gathered.ranges.revision,
        tools=(call.terms.tools.names or ()) if call.terms.tools is not None else (),
        privacy=call.gate.report(),
        calibration=call.calibration,
        switch=reuse.switch(call),
        tuning=call.tuning,
        warnings=tuple(dict.fromkeys(call.gathered.warnings)),
        observed=call.terms.observed,
        asked=Asked(call.request.budget, call.known.max_output),
    )
    return msgspec.structs.replace(made, cache=reuse.report(call, made))


def _quoted(call: Call, quotations: Sequence[str]) -> tuple[str, ...]:
    """The entries that quotations in the call come from."""
    sources = {one.id: one.sources for one in call.gathered.supplements if one.kind == "retrieval"}
    return tuple(entry for id_ in quotations for entry in sources.get(id_, (id_,)))


def _kept(call: Call, sources: Mapping[str, Sequence[str]]) -> tuple[KeptRef, ...]:
    """Where the pins and memories in the call come from."""
    sent = {(kind, name) for kind in ("pin", "memory") for name in sources[kind]}
    return tuple(memory_select.reference(item) for item in call.gathered.kept if (item.kind, item.id) in sent)


def _artifacts(call: Call, included: Sequence[Line], sent: AbstractSet[str]) -> tuple[ArtifactRef, ...]:
    """The large results that stand in the call as references."""
    found = [one.ref for one in call.gathered.condensed if one.ref.entry in sent]
    levels = {line.source or str(line.seq): line.level for line in included} if found else {}
    return tuple(msgspec.structs.replace(ref, level=levels.get(ref.entry, ref.level)) for ref in found)


def _provenance(call: Call, included: Sequence[Line]) -> tuple[SummaryRef, ...]:
    """How the summaries in the call came about, as far as the log tells."""
    seqs = {line.seq for line in included if line.kind == "summary" and line.seq is not None}
    transcript = call.context.transcript
    placed = [transcript.entries[transcript.at(seq)] for seq in sorted(seqs)]
    return summaries.references(call.context.row.source, call.context.row.path, placed)


def _retrieval(call: Call) -> Retrieval | None:
    found = call.gathered.recalled
    if found is None:
        return None
    return Retrieval(found.status, found.candidates, found.committed, found.duplicates, found.alternates)


def _sources(lines: Sequence[Line]) -> defaultdict[str, list[str]]:
    """What the lines of each kind come from."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for line in lines:
        found[line.kind].append(line.source or "")
    return found
