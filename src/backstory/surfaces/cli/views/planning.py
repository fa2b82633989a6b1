"""Plans, manifests, and what is kept: explanations for people."""

from collections.abc import Mapping, Sequence

from backstory.records.host import Say
from backstory.records.manifest import Line, Manifest
from backstory.records.planning import Comparison, Explanation, Lines, ManifestList, Planned
from backstory.surfaces.cli.terminal import Terminal
from backstory.text.calls import cells, checked, mode_words, places
from backstory.text.charts import bounded, columns, table
from backstory.text.wording import counted, when

MOST_ITEMS = 40
SHORTEST_SESSION = 20


def planned(answer: Planned, terminal: Terminal) -> str:
    """The explanation of a plan; the messages themselves are for `--json`."""
    lines = (*map(terminal.hang, answer.explanation), "", terminal.style(f"manifest {answer.manifest.id}", "dim"))
    return "\n".join(lines) + "\n"


def explained(answer: Explanation, terminal: Terminal) -> str:
    """A manifest in words."""
    return "\n".join(map(terminal.hang, answer.lines)) + "\n"


def manifest(answer: Manifest, terminal: Terminal) -> str:
    """A manifest as a list of its items."""
    head = f"{answer.id}  {answer.session}  {when(answer.created)}  {mode_words(answer.planning.mode).word}"
    named = places(answer)
    lines = [*_model(answer), *(_line(line, named) for line in answer.included)]
    return "\n".join([terminal.style(terminal.hang(head), "bold"), *map(terminal.hang, lines)]) + "\n"


def _model(answer: Manifest) -> list[str]:
    """The model, how far estimates for it are off, what the call costs, and what was kept from the provider."""
    learned, report, usage = answer.calibration, answer.cache, answer.usage
    told = [f"{answer.provider}/{answer.model}, {answer.estimated_input:,} tokens estimated by {answer.estimator}"]
    if answer.tools:
        told.append(f"{counted(len(answer.tools), 'tool')}: {', '.join(answer.tools)}")
    if usage is not None:
        told.append(f"{usage.prompt:,} counted, {usage.cache_read:,} of them from the cache")
    if learned.observed:
        state = f"{learned.ratio:.2f} times the estimates" if learned.calibrated else "too few to correct by"
        told.append(f"{counted(learned.observed, 'answered call')}, {learned.rejected} left out: {state}")
    if report is not None and report.cost is not None:
        told.append(f"about ${report.cost:.4f}, with {report.reusable:,} tokens from the cache")
    return [f"  {line}" for line in (*told, *checked(answer))]


def manifests(answer: ManifestList, terminal: Terminal) -> str:
    """One line a manifest; on a terminal a session without room is cut, or stands on a line of its own."""
    facts = [
        (row.id[:12], when(row.created), f"{row.estimated:,} tokens", mode_words(row.mode).word) for row in answer.items
    ]
    lines = []
    for row, about in zip(answer.items, table(facts, right=(2,), indent=0, filled=True), strict=True):
        room = terminal.width - columns(about) - 2
        apart = terminal.narrow and room < min(SHORTEST_SESSION, columns(row.session))
        session = terminal.style(terminal.clip(row.session, terminal.width - 2 if apart else room), "cyan")
        lines.append(f"{about.rstrip()}\n  {session}" if apart else f"{about}  {session}")
    of = f" of {answer.session}" if answer.session else ""
    return "\n".join(lines or [f"No call{of} has been planned yet."]) + "\n"


def items(answer: Lines, terminal: Terminal) -> str:
    """One line an item."""
    found = [terminal.hang(_line(line, answer.places)) for line in answer.items]
    if answer.omitted:
        found.append(f"… and {counted(answer.omitted, 'more item')}, which were only summed up")
    return "\n".join(found or ["Nothing."]) + "\n"


def compared(answer: Comparison, terminal: Terminal) -> str:
    """What two calls share and what only one of them holds."""
    more = "more" if answer.tokens >= 0 else "fewer"
    are = "is" if answer.kept == 1 else "are"
    lines = [
        f"The second call has {abs(answer.tokens):,} tokens {more}; {counted(answer.kept, 'item')} {are} in both.",
        f"Both begin with the same {counted(answer.prefix, 'item')} ({answer.prefix_tokens:,} tokens)."
        if answer.prefix
        else "They do not begin alike, so a provider's cache helps neither.",
        *_only("first", "-", answer.removed, "red", terminal),
        *_only("second", "+", answer.added, "green", terminal),
    ]
    return "\n".join(lines) + "\n"


def _only(which: str, sign: str, items: Sequence[Line], colour: str, terminal: Terminal) -> list[str]:
    if not items:
        return []
    tokens = sum(line.tokens for line in items)
    found = [terminal.style(terminal.hang(f"{sign} {_line(line)}"), colour) for line in items]
    head = f"Only in the {which}: {counted(len(items), 'item')}, {tokens:,} tokens"
    return ["", terminal.style(head, "bold"), *bounded(found, MOST_ITEMS, "more items")]


def said(answer: Say, terminal: Terminal) -> str:
    """What a `/context` command answers."""
    return "\n".join(map(terminal.hang, answer.text.split("\n"))) + "\n"


def _line(line: Line, named: Mapping[str, str] | None = None) -> str:
    item = cells(line, named)
    return f"{item.tokens:>8}  {item.kind:<8} {item.place}: {item.reason}{item.level}"
