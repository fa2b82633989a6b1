"""Turns a plan into its manifest, and bounds what is stored of one.

Only what the record types allow can get in: the planner's reasons, ids and counts. Before it: `plan.planner`. After it:
`store.manifests`, `plan.explain`, `plan.diff`.
"""

from collections import Counter
from collections.abc import Sequence

import msgspec

from backstory.plan.priority import score
from backstory.records.manifest import Composition, Inventory, Line, Manifest, Planning, Tools
from backstory.records.plan import Excluded, Included, Plan, PlanInput
from backstory.text import canonical, hashing

WHOLE_BYTES, MOST_BYTES = 256 * 1024, 1024 * 1024
_HEAD, _TAIL = 128, 128
_HASH = 16


def lines(given: PlanInput, plan: Plan) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """The included and the excluded items of a plan."""
    return tuple(_included(given, item) for item in plan.included), tuple(
        _excluded(given, item) for item in plan.excluded
    )


def composition(plan: Plan, tools: Tools | None = None) -> Composition:
    """Tokens by kind; those of tools are part of what is fixed."""
    kinds: Counter[str] = Counter()
    for item in plan.included:
        kinds[item.kind] += item.tokens
    of_tools = min(tools.tokens, plan.fixed) if tools is not None else 0
    count = len(tools.names) if tools is not None and tools.names is not None else None
    system = plan.fixed - of_tools
    return Composition(system, of_tools, plan.tokens, len(plan.included), dict(sorted(kinds.items())), count)


def planning(plan: Plan, placement: str, duration_ms: float) -> Planning:
    """How the plan came about."""
    return Planning(
        mode=plan.mode,
        original_tokens=plan.original_tokens,
        original_messages=plan.original_messages,
        tail_limit=plan.tail,
        included_groups=len({item.group for item in plan.included if item.position is not None}),
        excluded_groups=len({item.group for item in plan.excluded if item.positions}),
        rescued=plan.rescued,
        split=plan.split,
        oversized=plan.oversized,
        placement=placement,
        duration_ms=round(duration_ms, 3),
        reason=plan.reason,
    )


def bounded(manifest: Manifest) -> Manifest | None:
    """What may be stored of a manifest: all of it up to 256 KiB, else with the middle of its excluded items summed up.

    None when even that is more than 1 MiB. A manifest that was bounded before stays as it is.
    """
    if manifest.inventory is not None and manifest.inventory.completeness != "complete":
        return manifest
    size = canonical.size(manifest)
    whole = Inventory(source_bytes=size, excluded=len(manifest.excluded), retained=len(manifest.excluded))
    if size <= WHOLE_BYTES:
        return msgspec.structs.replace(manifest, inventory=whole)
    middle = manifest.excluded[_HEAD : len(manifest.excluded) - _TAIL] if len(manifest.excluded) > _HEAD + _TAIL else ()
    kept = (
        (*manifest.excluded[:_HEAD], *manifest.excluded[len(manifest.excluded) - _TAIL :])
        if middle
        else manifest.excluded
    )
    rolled = msgspec.structs.replace(manifest, excluded=tuple(kept), inventory=_rollup(manifest.excluded, middle, size))
    return rolled if canonical.size(rolled) <= MOST_BYTES else None


def _rollup(excluded: Sequence[Line], middle: Sequence[Line], size: int) -> Inventory:
    kinds = Counter(line.kind for line in middle)
    tokens: Counter[str] = Counter()
    for line in middle:
        tokens[line.kind] += line.tokens
    return Inventory(
        completeness="excluded-rollup",
        source_bytes=size,
        excluded=len(excluded),
        retained=len(excluded) - len(middle),
        omitted_tokens=sum(line.tokens for line in middle),
        digest=hashing.of_sequence(middle),
        kinds=dict(sorted(kinds.items())),
        kind_tokens=dict(sorted(tokens.items())),
        levels=dict(sorted(Counter(line.level for line in middle).items())),
        reason_digest=hashing.of_sequence([line.reason for line in middle]),
    )


def _included(given: PlanInput, item: Included) -> Line:
    if item.position is not None:
        native = given.items[item.position]
        source, seq, role, level = native.entry_id, native.seq, native.role, native.level
        digest, rank = (native.hash or "")[:_HASH] or None, score(item.kind, item.position, len(given.items))
    else:
        supplement = given.supplements[item.supplement or 0]
        source, seq, role, level = supplement.id, None, "user", supplement.level
        digest, rank = hashing.of_text(supplement.text)[:_HASH], supplement.score
    return Line(item.kind, item.tokens, item.reason, source, seq, role, item.group, rank, level, hash=digest)


def _excluded(given: PlanInput, item: Excluded) -> Line:
    if item.supplement is not None:
        supplement = given.supplements[item.supplement]
        return Line(
            item.kind,
            item.tokens,
            item.reason,
            supplement.id,
            None,
            "user",
            item.group,
            supplement.score,
            supplement.level,
        )
    first = given.items[item.positions[0]]
    return Line(
        item.kind, item.tokens, item.reason, first.entry_id, first.seq, first.role, item.group, messages=item.messages
    )
