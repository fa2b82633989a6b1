"""Says in words and bars what a call holds, what stayed out and why: for people who never read this code."""

from collections import Counter
from collections.abc import Iterable, Sequence

from backstory.records.budget import Calibration
from backstory.records.manifest import Line, Manifest
from backstory.text.calls import around, checked, kind_words, mode_words, out_words
from backstory.text.charts import bar
from backstory.text.summaries import reference
from backstory.text.wording import counted, when

MOST = 12
_FAR_OFF = "calibration-outliers"
_DRIFTS = {
    "persistent-underestimate": "estimates are too low for this model",
    "persistent-overestimate": "estimates are too high for this model",
    _FAR_OFF: "answered calls do not agree on how far estimates are off",
}


def explain(manifest: Manifest) -> list[str]:
    """The explanation as lines of plain text; at most `MOST` of the reasons why something stayed out are named."""
    budget, planning = manifest.budget, manifest.planning
    model = "any model" if manifest.provider == "unknown" else f"{manifest.provider}/{manifest.model}"
    told = mode_words(planning.mode).told if manifest.included else "there is nothing to send"
    lines = [f"{manifest.session} for {model}: {told}"]
    if manifest.observed:
        lines.append("  It was only observed: what was sent is the agent's own list.")
    if planning.reason:
        lines.append(f"  because {planning.reason}")
    fixed = manifest.composition.system + manifest.composition.tools
    used = manifest.composition.messages + fixed
    aim = f", of which {budget.active:,} are to be filled" if budget.active < budget.hard else ""
    lines.append(f"  {bar(used, budget.hard)} {used:,} tokens; the call may have {budget.hard:,}{aim}")
    lines += _learnt(manifest)
    lines += ["", "In the call:", *_parts(manifest, used)] if used else []
    lines += reused(manifest)
    if planning.rescued:
        lines.append("  The turn before the request is in whole, although it is longer than what is recent may be.")
    if planning.split:
        which = "The current turn" if planning.mode == "degraded" else "The oldest turn"
        lines.append(f"  {which} is too long to fit; only the newest part of it is in.")
    lines += [f"  {reference(one)}" for one in manifest.provenance]
    lines += _brought(manifest)
    lines += _looked(manifest)
    lines += [f"  {line}" for line in checked(manifest)]
    lines += _stayed_out(manifest)
    lines += [f"Note: {warning}" for warning in manifest.warnings]
    return lines


def _parts(manifest: Manifest, used: int) -> Iterable[str]:
    """What the call consists of, the largest first: its share, its tokens, and where it comes from."""
    parts = sorted(manifest.composition.kinds.items(), key=lambda pair: -pair[1])
    rows = around(manifest)
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
    budget = manifest.budget
    if budget.ratio != 1.0:
        yield f"  limits corrected by {budget.ratio:.2f}, learned from {counted(budget.samples, 'answered call')}"
    if manifest.calibration.drift is not None:
        yield f"  {drifted(manifest.calibration)}"
    if manifest.tuning.factor != 1.0:
        yield f"  parts may be {manifest.tuning.factor - 1:.1%} larger: recent calls left much room"


def drifted(calibration: Calibration) -> str:
    """How far estimates are off, and what follows where answered calls do not agree on it; empty where nothing is."""
    drift = calibration.drift
    if drift is None:
        return ""
    told = f"{_DRIFTS.get(drift.kind, drift.kind)}{' by far' if drift.severity == 'critical' else ''}"
    if drift.kind != _FAR_OFF:
        return told
    left = f"{calibration.rejected:,} of {calibration.observed:,} lie too far off to learn from"
    return (
        f"{told}: {left}, {'the others count' if calibration.calibrated else 'and too few are left to correct limits'}"
    )


def reused(manifest: Manifest) -> Iterable[str]:
    """What the provider's cache may hold of the call, and what it costs, as lines."""
    report = manifest.cache
    if manifest.switch is not None and manifest.switch.switched:
        yield f"  The call before went to {manifest.switch.previous}: nothing of it is in this model's cache."
    if report is None or not manifest.estimated_input:
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


def _brought(manifest: Manifest) -> Iterable[str]:
    """Where what is no message of the session comes from: what is kept, the project, large results."""
    if manifest.kept:
        scopes = [one.scope for one in manifest.kept]
        held = {"branch": "of this branch", "session": "of this session", "project": "of the project"}
        parts = [f"{scopes.count(scope)} {told}" for scope, told in held.items() if scope in scopes]
        other = sum(1 for one in manifest.kept if not manifest.session.endswith(f":{one.session}"))
        from_others = f"; {other} made in other sessions" if other else ""
        yield f"  Pins and memories: {', '.join(parts)}{from_others}."
    if manifest.snippets:
        yield f"  Source of {manifest.project or 'the project'}{_revision(manifest)}:"
        since = manifest.revision is not None and manifest.revision.head is not None
        modified = {one.id for one in manifest.snippets if one.modified and since}
        ranges = [line for line in manifest.included if line.kind == "project"]
        for (changed, reason), count in Counter((line.source in modified, line.reason) for line in ranges).items():
            yield f"    {counted(count, 'range')}{' that changed since' if changed else ''}: {reason}"
    if manifest.artifacts:
        tools = ", ".join(sorted({one.tool for one in manifest.artifacts if one.tool}))
        failed = sum(1 for one in manifest.artifacts if one.error)
        parts = [tools] if tools else []
        parts += [f"{failed} failed"] if failed else []
        told = f" ({'; '.join(parts)})" if parts else ""
        yield f"  Shortened to references: {counted(len(manifest.artifacts), 'large tool result')}{told}."


def _revision(manifest: Manifest) -> str:
    """The state of the project that source is from."""
    known = manifest.revision
    if known is None:
        return ""
    at = f", {known.branch or 'no branch'} at {known.head[:12]}" if known.head else ""
    changed = f" with {counted(known.changed, 'file')} changed since" if known.changed else ""
    return f"{at}{changed}, indexed {when(known.indexed_at)} UTC"


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


def _stayed_out(manifest: Manifest) -> list[str]:
    if not manifest.excluded:
        return ["", "Nothing stayed out."]
    by_reason: dict[tuple[str, str], list[Line]] = {}
    for line in manifest.excluded:
        by_reason.setdefault((line.kind, line.reason), []).append(line)
    found = ["", "Not in the call:"]
    ranked = sorted(by_reason.items(), key=lambda pair: -_tokens(pair[1]))
    for (kind, reason), items in ranked[:MOST]:
        messages = sum(line.messages for line in items)
        found.append(f"  {_tokens(items):>9,}  {out_words(kind, reason).told} ({_messages(messages)}): {reason}")
    if len(ranked) > MOST:
        found.append(f"  … and {len(ranked) - MOST} more reasons")
    inventory = manifest.inventory
    if inventory is not None and inventory.completeness != "complete":
        found.append(
            f"  … {inventory.excluded - inventory.retained} more items ({inventory.omitted_tokens:,} tokens), summed up"
        )
        found += [
            f"    {tokens:>9,}  {kind_words(kind).told} ({counted(inventory.kinds.get(kind, 0), 'item')})"
            for kind, tokens in inventory.kind_tokens.items()
        ]
    return found


def _messages(count: int) -> str:
    return "1 message" if count == 1 else f"{count:,} messages"


def _tokens(lines: Iterable[Line] | Sequence[Line]) -> int:
    return sum(line.tokens for line in lines)
