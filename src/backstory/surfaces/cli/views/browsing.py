"""Session lists and single sessions."""

from collections.abc import Sequence

from backstory.records.browsing import SessionRow, SessionsPage, Shown, ShownEntry
from backstory.surfaces.cli.terminal import Terminal
from backstory.surfaces.cli.views.reports import skipped
from backstory.surfaces.cli.views.texts import indented
from backstory.text import charts, summaries
from backstory.text.wording import UNFINISHED, begun, counted, when

HEADINGS = ("last entry (UTC)", "agent", "")
# Most characters of a text in a whole session, and most characters and lines of what stands around an entry.
LONGEST = 6_000
NEIGHBOUR, NEIGHBOUR_LINES = 600, 8
# So little more is not worth a cut.
SPARED = 200
# Room for the ids of branches, in characters, and how many are named at least.
LEAVES_ROOM, FEWEST_LEAVES = 120, 3
SHORTEST_TITLE = 30
# Most and least room for the end of a folder's path.
PLACE, SHORTEST_PLACE = 28, 8


def sessions(page: SessionsPage, terminal: Terminal) -> str:
    """One line a session; on a terminal without room for its title its id and folder stand on a second one."""
    facts = [(when(row.updated), row.source, counted(row.entries, "entry")) for row in page.items]
    head, *abouts = charts.table([HEADINGS, *facts], right=(2,), indent=0)
    lines = [_line(row, about, terminal) for row, about in zip(page.items, abouts, strict=True)]
    lines = [terminal.style(head, "dim"), *lines] if lines else ["No sessions."]
    lines += map(terminal.note, [*page.warnings, *([UNFINISHED] if page.partial else [])])
    if page.next_cursor:
        lines.append(terminal.style(f"more: add --cursor {page.next_cursor}", "dim"))
    return "\n".join(lines) + "\n"


def _line(row: SessionRow, about: str, terminal: Terminal) -> str:
    marks = " (source missing)" * row.missing + " (copy)" * row.copy
    place = _place(row, terminal)
    room = terminal.width - charts.columns(f"{about}  {marks}  {row.session_id}{place}")
    apart = terminal.narrow and room < min(SHORTEST_TITLE, charts.columns(row.title or "untitled"))
    room = terminal.width - charts.columns(f"{about}  {marks}") if apart else room
    title = terminal.style(terminal.clip(row.title or "untitled", room), "bold")
    id_ = terminal.style(row.session_id, "cyan")
    between = "\n  " if apart else "  "
    head = f"{terminal.style(about, 'dim')}  {title}{terminal.style(marks, 'yellow')}"
    return f"{head}{between}{id_}{terminal.style(place, 'dim')}"


def _place(row: SessionRow, terminal: Terminal) -> str:
    """The folder of a session, as it stands behind an id."""
    room = min(PLACE, terminal.width - charts.columns(row.session_id) - 4)
    return f"  {terminal.end(row.cwd, room)}" if row.cwd and (room >= SHORTEST_PLACE or not terminal.narrow) else ""


def _ends(leaves: Sequence[str]) -> str:
    """As many ids as there is room for; the others are counted."""
    most = max(FEWEST_LEAVES, LEAVES_ROOM // max(len(leaf) + 2 for leaf in leaves))
    rest = f", and {len(leaves) - most:,} more" if len(leaves) > most else ""
    return f"{', '.join(leaves[:most])}{rest}"


def shown(answer: Shown, terminal: Terminal) -> str:
    """A session with its entries."""
    row = answer.session
    facts = [row.source, row.session_id, row.cwd, row.model, begun(row.created), counted(row.entries, "entry")]
    facts += [f"{row.origin} of {row.parent}"] if row.parent else []
    facts += ["copy"] * row.copy
    facts += [counted(row.malformed, "damaged record")] if row.malformed else []
    told = terminal.hang(" · ".join(filter(None, facts)))
    lines = [terminal.style(row.title or "untitled", "bold"), terminal.style(told, "dim")]
    lines.append(terminal.style(row.path, "dim") + terminal.style(" (source missing)" * row.missing, "yellow"))
    if len(answer.leaves) > 1:
        lines.append(terminal.style(terminal.hang(f"branches end in: {_ends(answer.leaves)}"), "dim"))
    lines += [terminal.style(answer.resume, "cyan")] if answer.resume else []
    lines += skipped(answer.damage, terminal)
    lines.append("")
    lines += [_entry(entry, answer.target, terminal) for entry in answer.entries]
    return "\n".join(lines) + "\n"


def _entry(entry: ShownEntry, target: int | None, terminal: Terminal) -> str:
    what = f"{entry.kind} {entry.tool}" if entry.tool else entry.kind
    faded = "" if entry.surface == "current" else f" · {entry.surface}"
    marker = "▶" if entry.seq == target else " "
    head = f"{marker} #{entry.seq} {what} · {when(entry.time)}{faded}"
    text = _beginning(entry, target)
    rest = len(entry.text) - len(text)
    text += f"\n… {counted(rest, 'more character')}, with --entry '#{entry.seq}'" if rest else ""
    styles = ("bold", "green") if entry.seq == target else ("blue",) if entry.kind == "prompt" else ("dim",)
    told = [terminal.style(f"    {line}", "dim") for line in summaries.lines(entry.details)] if entry.details else []
    silent = not (text.strip() or told)
    said = terminal.style("    (no text)", "dim") if silent else indented(text, entry.kind, terminal)
    return "\n".join([terminal.style(head, *styles), *told, said]) + "\n"


def _beginning(entry: ShownEntry, target: int | None) -> str:
    """The text of an entry that was asked for, and as much of any other as leaves sight of it."""
    whole = entry.text.rstrip()
    if entry.seq == target:
        return entry.text
    most, lines = (LONGEST, LONGEST) if target is None else (NEIGHBOUR, NEIGHBOUR_LINES)
    text = "\n".join(whole[:most].split("\n", lines)[:lines])
    return entry.text if len(whole) - len(text) <= SPARED else text
