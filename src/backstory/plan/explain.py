"""Says in words and bars what a call holds, what stayed out and why: for people who never read this code."""

from collections.abc import Iterable, Sequence

from backstory.records.manifest import Line, Manifest
from backstory.text.calls import checked, kind_words, mode_words
from backstory.text.charts import bar
from backstory.text.summaries import reference

DRIFTS = {
    "persistent-underestimate": "estimates are too low for this model",
    "persistent-overestimate": "estimates are too high for this model",
    "calibration-outliers": "answered calls do not agree on how far estimates are off",
}


def explain(manifest: Manifest, most: int = 12) -> list[str]:
    """The explanation as lines of plain text; at most `most` of the reasons why something stayed out are named."""
    budget, planning = manifest.budget, manifest.planning
    model = "any model" if manifest.provider == "unknown" else f"{manifest.provider}/{manifest.model}"
    lines = [f"{manifest.session} for {model}: {mode_words(planning.mode).told}"]
    if planning.reason:
        lines.append(f"  because {planning.reason}")
    fixed = manifest.composition.system + manifest.composition.tools
    used = manifest.composition.messages + fixed
    aim = f", of which {budget.active:,} are to be filled" if budget.active < budget.hard else ""
    lines.append(f"  {bar(used, budget.hard)} {used:,} tokens; the call may have {budget.hard:,}{aim}")
    lines += _learnt(manifest)
    lines += ["", "In the call:", *_parts(manifest, fixed, used)]
    lines += reused(manifest)
    if planning.rescued:
        lines.append("  The turn before the request is in whole, although it is longer than what is recent may be.")
    if planning.split:
        which = "The current turn" if planning.mode == "degraded" else "The oldest turn"
        lines.append(f"  {which} is too long to fit; only the newest part of it is in.")
    lines += [f"  {reference(one)}" for one in manifest.provenance]
    lines += _looked(manifest)
    lines += [f"  {line}" for line in checked(manifest)]
    lines += _stayed_out(manifest, most)
    lines += [f"Note: {warning}" for warning in manifest.warnings]
    return lines


def _parts(manifest: Manifest, fixed: int, used: int) -> Iterable[str]:
    """What the call consists of, the largest first: its share, its tokens, and where it comes from."""
    parts = sorted(manifest.composition.kinds.items(), key=lambda pair: -pair[1])
    rows = [(fixed, "system prompt and tools")] if fixed else []
    for kind, tokens in parts:
        items = [line for line in manifest.included if line.kind == kind]
        rows.append((tokens, f"{kind_words(kind).told} ({_messages(len(items))}{_where(items)})"))
    for tokens, what in rows:
        yield f"  {bar(tokens, used)} {tokens:>9,}  {what}"


def _where(items: Sequence[Line]) -> str:
    """The entries that messages are, by the numbers that `backstory show` knows."""
    seqs = [line.seq for line in items if line.seq is not None]
    if not seqs:
        return ""
    first, last = min(seqs), max(seqs)
    return f", #{first}" if first == last else f", #{first} to #{last}"


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
    if report.cost is not None and not report.reusable:
        yield f"  It costs about ${report.cost:.4f}; nothing of it is cached."
    elif report.cost is not None:
        fresh = manifest.estimated_input - report.reusable
        parts = f"${report.new:.4f} for {fresh:,} new tokens, ${report.cached:.4f} for {report.reusable:,} cached"
        parts += ", at the price of new ones as no other is known" if report.as_new else ""
        yield f"  It costs about ${report.cost:.4f}: {parts}."


def _looked(manifest: Manifest) -> Iterable[str]:
    """What looking for the request in earlier history found, and what of it is not used."""
    found = manifest.retrieval
    if found is None or not (found.candidates or found.committed or found.alternates):
        return
    parts = [f"matching messages further back: {found.candidates:,}"]
    parts += [f"repeating others of them: {found.duplicates:,}"] if found.duplicates else []
    parts += [f"in the call anyway: {found.committed:,}"] if found.committed else []
    parts += [f"only counted, on other branches: {found.alternates:,}"] if found.alternates else []
    yield f"  {'; '.join(parts).capitalize()}."


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
        found.append(f"  {_tokens(items):>9,}  {kind_words(kind).told} ({_messages(messages)}): {reason}")
    if len(ranked) > most:
        found.append(f"  … and {len(ranked) - most} more reasons")
    inventory = manifest.inventory
    if inventory is not None and inventory.completeness != "complete":
        found.append(
            f"  … {inventory.excluded - inventory.retained} more items ({inventory.omitted_tokens:,} tokens), summed up"
        )
    return found


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count:,} messages"


def _tokens(lines: Iterable[Line] | Sequence[Line]) -> int:
    return sum(line.tokens for line in lines)
