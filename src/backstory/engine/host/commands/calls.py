"""`/context` commands about the newest planned call: its tokens, its items, what stayed out, what it quotes."""

from collections.abc import Mapping, Sequence

from backstory.engine import naming
from backstory.engine.host.commands.about import About, readable, told
from backstory.engine.host.commands.line import TypedWord
from backstory.errors import UsageError
from backstory.plan import explain as words
from backstory.records.host import Say
from backstory.records.manifest import Line, Manifest
from backstory.store import browse
from backstory.text.calls import around, cells, kind_words, mode_words, out_words, places
from backstory.text.charts import bar, bounded, clipped, ending, table
from backstory.text.wording import counted, when

MOST_CALLS, MOST_ITEMS, EXCERPT, PLACE = 8, 40, 300, 32


def tokens(about: About, _typed: list[TypedWord]) -> Say:
    """Estimates beside what the provider counted, newest call first."""
    newest = about.manifest()
    rows = [("when (UTC)", "estimated", "counted", "off by", "read from cache")]
    rows += [_counted(made) for made in about.manifests(MOST_CALLS)]
    correction = newest.calibration
    learned = f"Limits are corrected by {correction.ratio:.2f}, learned from {counted(correction.accepted, 'call')}."
    lines = ["Tokens of the newest calls", *table(rows, right=(1, 2, 3)), ""]
    lines.append(learned if correction.calibrated else "Not enough answered calls yet to correct estimates by.")
    if correction.drift is not None:
        lines.append(f"! {words.drifted(correction)}")
    return told([*lines, "", *_parts(newest)], {"manifest": newest.id, "estimated": newest.estimated_input})


def manifest(about: About, typed: list[TypedWord]) -> Say:
    """The items of a call in the order they were sent."""
    made = about.manifest(_name(typed))
    lines = [
        _head(made),
        *_items(made.included, _places(about, made)),
        "",
        f"prompt {made.prompt_hash[:16]}, policy {made.policy}",
    ]
    return told(lines, {"manifest": made.id, "items": len(made.included)})


def explain(about: About, typed: list[TypedWord]) -> Say:
    """A call in words."""
    made = about.manifest(_name(typed))
    return told(words.explain(made), {"manifest": made.id})


def included(about: About, typed: list[TypedWord]) -> Say:
    """What a call held, largest first, with its share."""
    made = about.manifest(_name(typed))
    largest = sorted(made.included, key=lambda line: -line.tokens)
    named = _places(about, made)
    rows = [(bar(line.tokens, largest[0].tokens, 12), *_item(line, named)) for line in largest]
    lines = [_head(made), *bounded(table(rows, right=(1,)), MOST_ITEMS, "more items")]
    return told(lines, {"manifest": made.id, "items": len(made.included)})


def excluded(about: About, typed: list[TypedWord]) -> Say:
    """What stayed out: by reason, or with `all` one by one."""
    names = [word.value for word in typed]
    everything = names[:1] == ["all"]
    made = about.manifest(_name(typed[1:] if everything else typed))
    inventory = made.inventory
    out = sum(line.messages for line in made.excluded)
    lines = [_head(made), f"{counted(out, 'message')} stayed out." if out else "Nothing stayed out."]
    lines += _items(made.excluded) if everything else _reasons(made.excluded)
    if inventory is not None and inventory.completeness != "complete":
        rest = inventory.excluded - inventory.retained
        lines.append(f"  … {counted(rest, 'more item')}, only summed up: {inventory.omitted_tokens:,} tokens")
    return told(lines, {"manifest": made.id, "items": len(made.excluded)})


def retrieved(about: About, typed: list[TypedWord]) -> Say:
    """The earlier messages that a call quotes, with the beginning of each."""
    made = about.manifest(_name(typed))
    quoted = [line for line in made.included if line.kind in {"retrieval", "excerpt", "card"}]
    out = [line for line in made.excluded if line.kind == "retrieval"]
    spent = sum(line.tokens for line in quoted)
    lines = [_head(made), f"{counted(len(quoted), 'piece')} of earlier history, {spent:,} tokens"]
    for line in quoted:
        reason = f": {line.reason}" if line.kind == "retrieval" else ""
        lines += ["", f"  {line.tokens:>6,}  {kind_words(line.kind).told}{reason}"]
        lines += [f"          {text}" for text in _beginning(about, line)]
    if out:
        lines += ["", f"{counted(len(out), 'more matching message')} stayed out:", *_reasons(out)]
    return told(lines, {"manifest": made.id, "sources": [line.source for line in quoted if line.kind == "retrieval"]})


def _name(typed: Sequence[TypedWord]) -> str | None:
    return typed[0].value if typed else None


def _head(made: Manifest) -> str:
    used = f"{made.estimated_input:,} of {made.budget.hard:,} tokens"
    return f"call {made.id[:12]}, {when(made.created)} UTC: {used}, {mode_words(made.planning.mode).told}"


def _places(about: About, made: Manifest) -> dict[str, str]:
    """Where source of the project is from, as far as its names may be shown."""
    return places(made) if readable(about, made) else {}


def _items(lines: Sequence[Line], named: Mapping[str, str] | None = None) -> list[str]:
    return bounded(table([_item(line, named) for line in lines], right=(0,)), MOST_ITEMS, "more items")


def _item(line: Line, named: Mapping[str, str] | None = None) -> tuple[str, str, str, str]:
    item = cells(line, named)
    place = ending(item.place, PLACE) if line.source in (named or {}) else clipped(item.place, 18)
    return item.tokens, item.kind, place, clipped(item.reason, 70) + item.level


def _reasons(lines: Sequence[Line]) -> list[str]:
    sums: dict[tuple[str, str], tuple[int, int]] = {}
    for line in lines:
        tokens_, messages = sums.get((line.kind, line.reason), (0, 0))
        sums[line.kind, line.reason] = tokens_ + line.tokens, messages + line.messages
    ranked = sorted(sums.items(), key=lambda pair: -pair[1][0])
    rows = [
        (f"{tokens_:,}", out_words(kind, reason).told, counted(messages, "message"), clipped(reason, 70))
        for (kind, reason), (tokens_, messages) in ranked
    ]
    return bounded(table(rows, right=(0, 2)), MOST_ITEMS, "more reasons")


def _counted(made: Manifest) -> tuple[str, str, str, str, str]:
    usage = made.usage
    if usage is None:
        return when(made.created), f"{made.estimated_input:,}", "not yet", "", ""
    total = usage.prompt
    off = f"{100 * (made.estimated_input - total) / total:+.0f} %" if total else ""
    share = usage.cache_read / total if total else 0.0
    cached = f"{bar(share, 1, 12)} {100 * share:.0f} %"
    return when(made.created), f"{made.estimated_input:,}", f"{total:,}", off, cached


def _parts(made: Manifest) -> list[str]:
    fixed = {told: tokens_ for tokens_, told in around(made)}
    kinds = {kind_words(kind).told: tokens_ for kind, tokens_ in made.composition.kinds.items()}
    parts = sorted(((part, size) for part, size in {**fixed, **kinds}.items() if size), key=lambda pair: -pair[1])
    rows = [(bar(size, made.estimated_input), f"{size:,}", part) for part, size in parts]
    return ["The newest of them holds", *table(rows, right=(1,)), *words.reused(made)]


def _beginning(about: About, line: Line) -> list[str]:
    """How the entry that a quotation rests on begins."""
    if line.kind != "retrieval" or line.source is None:
        return []
    key, name = about.session.context.key, line.source.removeprefix("entry:")
    try:
        seq = naming.entry(about.engine, key, about.session.context.row, name)
    except UsageError:
        return []
    return [clipped(entry.text or "", EXCERPT) for entry in browse.shown(about.engine.history, key, [seq])]
