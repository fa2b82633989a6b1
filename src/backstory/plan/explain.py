"""Says in words and bars what a call holds, what stayed out and why: for people who never read this code."""

from collections.abc import Iterable, Sequence

from backstory.records.manifest import Line, Manifest

WORDS = {
    "system": "system messages",
    "current": "the request and what followed it",
    "labelled": "messages labelled as pinned",
    "recent": "recent conversation",
    "pin": "pins",
    "memory": "memory",
    "card": "working set: exact names from earlier",
    "excerpt": "excerpts from earlier",
    "retrieval": "earlier messages that match the request",
    "project": "project source",
    "summary": "summaries",
    "history": "older conversation",
}
MODES = {
    "managed": "planned",
    "degraded": "bounded: only the request and the newest turns",
    "native": "not planned: the agent's own list",
}
DRIFTS = {
    "persistent-underestimate": "estimates are too low for this model",
    "persistent-overestimate": "estimates are too high for this model",
    "calibration-outliers": "answered calls do not agree on how far estimates are off",
}
_WIDTH = 32


def explain(manifest: Manifest, most: int = 12) -> list[str]:
    """The explanation as lines of plain text; at most `most` of the items that stayed out are named."""
    budget = manifest.budget
    planning = manifest.planning
    model = "any model" if manifest.provider == "unknown" else f"{manifest.provider}/{manifest.model}"
    head = f"{manifest.session} for {model}: {MODES.get(planning.mode, planning.mode)}"
    lines = [head + (f" ({planning.reason})" if planning.reason else "")]
    fixed = manifest.composition.system + manifest.composition.tools
    used = manifest.composition.messages + fixed
    lines.append(f"  {_bar(used, budget.hard)} {used:,} of {budget.hard:,} tokens; aim {budget.active:,}")
    lines += _learnt(manifest)
    lines += ["", "In the call:"]
    if fixed:
        lines.append(f"  {_bar(fixed, used)} {fixed:>8,}  system prompt and tools")
    for kind, tokens in sorted(manifest.composition.kinds.items(), key=lambda pair: -pair[1]):
        count = sum(1 for line in manifest.included if line.kind == kind)
        lines.append(f"  {_bar(tokens, used)} {tokens:>8,}  {WORDS.get(kind, kind)} ({_messages(count)})")
    lines += reused(manifest)
    if planning.rescued:
        lines.append("  The turn before the request was kept whole although it is longer than the tail's limit.")
    if planning.split:
        lines.append("  The oldest turn of the tail does not fit; its newest steps are in.")
    lines += _elsewhere(manifest)
    lines += _stayed_out(manifest, most)
    lines += [f"Note: {warning}" for warning in manifest.warnings]
    return lines


def _learnt(manifest: Manifest) -> Iterable[str]:
    """What answered calls changed about the limits."""
    budget, drift = manifest.budget, manifest.calibration.drift
    if budget.ratio != 1.0:
        yield f"  limits corrected by {budget.ratio:.2f}, learned from {budget.samples} answered calls"
    if drift is not None:
        yield f"  {DRIFTS.get(drift.kind, drift.kind)}{' by far' if drift.severity == 'critical' else ''}"
    if manifest.tuning.factor != 1.0:
        yield f"  parts may be {manifest.tuning.factor - 1:.1%} larger: recent calls left much room"


def reused(manifest: Manifest) -> Iterable[str]:
    """What the provider's cache may hold of the call, and what it costs, as lines."""
    report = manifest.cache
    if manifest.switch is not None and manifest.switch.switched:
        yield f"  The call before went to {manifest.switch.previous}: nothing of it is in this model's cache."
    if report is None:
        return
    if report.reusable:
        yield f"  The first {report.reusable:,} tokens are those of the call planned before it."
    if report.extended:
        yield f"  The tail may be {report.tail:,} tokens long and moves seldom, which is cheaper with this model."
    if report.cost is not None:
        fresh = manifest.estimated_input - report.reusable
        parts = f"${report.new:.4f} for {fresh:,} new tokens, ${report.cached:.4f} for {report.reusable:,} cached"
        yield f"  It costs about ${report.cost:.4f}: {parts}."


def _elsewhere(manifest: Manifest) -> list[str]:
    """What was found on other branches: counted, never shown."""
    count = manifest.retrieval.alternates if manifest.retrieval is not None else 0
    return [f"  Other branches hold {_messages(count)} that match the request; none is used."] if count else []


def _stayed_out(manifest: Manifest, most: int) -> list[str]:
    if not manifest.excluded:
        return ["", "Nothing stayed out."]
    by_reason: dict[tuple[str, str], list[Line]] = {}
    for line in manifest.excluded:
        by_reason.setdefault((line.kind, line.reason), []).append(line)
    found = ["", "Not in the call:"]
    ranked = sorted(by_reason.items(), key=lambda pair: -_tokens(pair[1]))
    for (kind, reason), items in ranked[:most]:
        messages = sum(line.messages for line in items)
        found.append(f"  {_tokens(items):>8,}  {WORDS.get(kind, kind)} ({_messages(messages)}): {reason}")
    if len(ranked) > most:
        found.append(f"  … and {len(ranked) - most} more reasons")
    inventory = manifest.inventory
    if inventory is not None and inventory.completeness != "complete":
        found.append(
            f"  … {inventory.excluded - inventory.retained} more items ({inventory.omitted_tokens:,} tokens), summed up"
        )
    return found


def _bar(part: int, whole: int) -> str:
    filled = min(_WIDTH, round(_WIDTH * part / whole)) if whole > 0 else 0
    return "█" * filled + "·" * (_WIDTH - filled)


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count:,} messages"


def _tokens(lines: Iterable[Line] | Sequence[Line]) -> int:
    return sum(line.tokens for line in lines)
