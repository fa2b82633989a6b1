"""`/context project`, `privacy`, `model` and `artifacts`: the parts that calls are made of, and their limits."""

from backstory.config.paths import derived_folder
from backstory.engine.host.commands.about import About, indexed, readable, told
from backstory.engine.host.commands.line import TypedWord
from backstory.engine.planning import learning, models
from backstory.errors import UsageError
from backstory.plan import budget as budgets
from backstory.privacy import policy as rules
from backstory.records.budget import Budget, Calibration
from backstory.records.host import Say
from backstory.records.manifest import Manifest
from backstory.records.planning import PlanRequest
from backstory.records.privacy import LEVELS
from backstory.store import artifacts as stored
from backstory.store.objects import Objects
from backstory.text.charts import bar, bounded, table
from backstory.text.wording import counted, size

MOST_ROWS = 30


def project(about: About, _typed: list[TypedWord]) -> Say:
    """Trust and index of the project, and the source that the newest call quotes."""
    rows = [("folder", about.call.cwd), ("trusted", "yes" if about.call.trusted else "no: nothing of it is read")]
    report = indexed(about) if about.call.trusted else None
    if report is not None and report.indexed:
        held = f"{counted(report.files, 'file')}, {counted(report.symbols, 'declaration')}"
        rows += [("index", f"{held}, {size(report.database_bytes)}")]
        rows += [("", f"{counted(report.stale, 'file')} wait to be read again")] if report.stale else []
        rows += [("revision", _revision(report.revision.branch, report.revision.head, report.modified))]
    elif about.call.trusted:
        rows += [("index", "none yet")]
    made = next(iter(about.manifests(1)), None)
    snippets = list(made.snippets) if made is not None and readable(about, made) else []
    lines = ["The project", *table(rows), "", _quotes(about, made, shown=len(snippets))]
    quoted = [(f"{one.path}:{one.start_line}-{one.end_line}", f"{one.score:.1f}", one.sha256[:12]) for one in snippets]
    lines += bounded(table(quoted, right=(1,)), MOST_ROWS)
    return told(lines, {"trusted": about.call.trusted, "snippets": [one.id for one in snippets]})


def _quotes(about: About, made: Manifest | None, *, shown: int) -> str:
    """How much source the newest call quotes, of which project if it is another one, and why none of it is shown."""
    if made is None:
        return "No call yet."
    count = len(made.snippets)
    other = f" from {made.project}" if made.project not in {None, about.call.cwd} else ""
    hidden = "; the project is not trusted, so they are not listed" if count and not shown else ""
    return f"The newest call quotes {counted(count, 'piece')} of source{other}{hidden}."


def privacy(about: About, _typed: list[TypedWord]) -> Say:
    """The rules towards the present model, and what they did to the newest call."""
    policy = about.settings.config.privacy
    provider = about.call.model.provider if about.call.model is not None else ""
    target = rules.destination(policy, provider)
    seen = ", ".join(level for level in LEVELS if level in target.allowed) or "nothing"
    rows = [
        ("checking", "on" if policy.enabled else "off: what is marked as private goes out like the rest"),
        ("model", f"{provider or 'none'}: {'on this machine' if target.local else 'elsewhere'}"),
        ("may see" if policy.enabled else "if it were on", seen),
    ]
    if policy.enabled:
        rows += [("unmarked text", policy.default)]
        rows += [("credentials", "replaced on their way out" if policy.redact_secrets else "not looked for")]
    lines = ["Privacy", *table(rows)]
    made = next(iter(about.manifests(1)), None)
    if made is not None and made.privacy.stage != "disabled":
        report = made.privacy
        found = [(level, f"{count:,}") for level, count in report.levels.items()]
        lines += ["", f"The newest call: {counted(report.inspected, 'piece')} looked at", *table(found, right=(1,))]
        lines.append(
            f"  withheld {report.blocked:,}, left out {report.excluded:,}, secrets replaced {report.secrets:,}"
        )
        if report.payloads:
            found_late = f"withheld {report.payload_blocked:,}, secrets replaced {report.payload_secrets:,}"
            lines.append(f"  {counted(report.payloads, 'request')} checked on the way out: {found_late}")
        lines += [f"! {warning}" for warning in report.warnings]
    lines += [f"! {one}" for one in about.settings.warnings if "privacy" in one]
    return told(lines, {"enabled": policy.enabled, "local": target.local, "allowed": sorted(target.allowed)})


def model(about: About, _typed: list[TypedWord]) -> Say:
    """The limits of the present model's calls, and what answered calls taught.

    Raises:
        UsageError: the agent has no model chosen.
    """
    if about.call.model is None:
        raise UsageError("the agent has no model chosen")
    config, asked = about.settings.config, PlanRequest(session=about.name)
    known = models.resolved(about.call.model, asked, config)
    learned = learning.calibration(about.engine, known, (), config.calibration)
    limits = budgets.allocate(known, config.budget, learned)
    assumed = ", which is assumed" if models.unsure(about.call.model, known, asked, config) else ""
    lines = [f"{known.provider}/{known.model}: a window of {known.window:,} tokens{assumed}"]
    if known.matched:
        lines.append(f"  as your settings say under {', '.join(known.matched)}")
    lines += ["", *_limits(limits), "", *_learned(learned)]
    return told(lines, {"profile": known.key, "hard": limits.hard, "active": limits.active, "ratio": learned.ratio})


def artifacts(about: About, _typed: list[TypedWord]) -> Say:
    """The large tool results of the session that calls refer to."""
    row = about.session.context.row
    kept = Objects(derived_folder(about.engine.home))
    everything = stored.everything(about.engine.history)
    mine = [one for one in everything if (one.source, one.session_id) == (row.source, row.session_id)]
    rows = [("id", "size", "tokens", "from", "state")]
    for one in reversed(mine):
        state = kept.state(one.digest)
        failed = " failed" if one.failed else ""
        rows.append((one.id[:12], size(one.size), f"{one.tokens:,}", f"{one.tool or 'tool'} #{one.seq}{failed}", state))
    if not mine:
        return told(["No tool result of this session was large enough to be referred to."], {"ids": []})
    lines = [f"{counted(len(mine), 'large tool result')}, newest first", *table(rows, right=(1, 2))]
    return told(bounded(lines, MOST_ROWS), {"ids": [one.id for one in mine]})


def _revision(branch: str | None, head: str | None, modified: int) -> str:
    if head is None:
        return "no Git repository"
    changed = f", {counted(modified, 'file')} changed since" if modified else ""
    return f"{branch or 'no branch'} at {head[:12]}{changed}"


def _limits(limits: Budget) -> list[str]:
    whole = limits.window
    parts = [
        ("kept free for the answer", limits.reserve),
        ("safety margin", limits.margin),
        ("a call may hold at most", limits.hard),
        ("a call aims at", limits.active),
        ("  recent conversation", limits.tail),
        ("  pins", limits.pins),
        ("  memory", limits.memory),
        ("  matching messages", limits.history),
        ("  project source", limits.project),
        ("  summaries", limits.summaries),
        ("  working set and excerpts", limits.card + limits.excerpts),
    ]
    return table([(bar(tokens, whole), f"{tokens:,}", name) for name, tokens in parts], right=(1,))


def _learned(learned: Calibration) -> list[str]:
    if not learned.observed:
        return ["No answered call has been measured yet; limits are used as they are."]
    seen = f"{learned.accepted} of {learned.observed} measured calls are used"
    ratio = f"calls are {learned.ratio:.2f} times what is estimated" if learned.calibrated else "not enough to correct"
    lines = [f"{seen}: {ratio}."]
    if learned.read_share is not None:
        lines.append(f"Read from the provider's cache: {bar(learned.read_share, 1)} {100 * learned.read_share:.0f} %")
    return lines
