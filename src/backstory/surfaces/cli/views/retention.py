"""The retention report as a table."""

from backstory.records.retention import Recall, RetentionReport
from backstory.surfaces.cli.terminal import Terminal
from backstory.text.wording import counted

LEGEND = (
    "kept: share of these values; mean: mean of the requests; in text: mean without the card's bare names; "
    "of all: share of all values used, those in the tail too"
)


def retention(report: RetentionReport, terminal: Terminal) -> str:
    """One block a budget, one line a way to fill it, two where kinds have no room; without anything measured, why."""
    what = f"{counted(report.points, 'request')} in {counted(report.sessions, 'session')}"
    lines = [terminal.hang(f"{what}; card and excerpts may use {report.share:.0%} of a budget")]
    lines += map(terminal.note, report.warnings)
    for one in report.budgets if report.points else ():
        about = f"{counted(one.values, 'value')} at {counted(one.points, 'request')} stood only beyond the tail"
        lines += ["", terminal.style(terminal.hang(f"{one.budget:,} tokens: {about}"), "bold")]
        lines.append(terminal.style(f"  {'':<26}{'kept':>8}{'mean':>8}{'in text':>9}{'of all':>8}", "dim"))
        lines += (line for way in one.ways for line in _lines(way, terminal))
    if report.points and report.budgets:
        lines += ["", terminal.style(terminal.hang(LEGEND), "dim")]
    return "\n".join(lines) + "\n"


def _lines(way: Recall, terminal: Terminal) -> list[str]:
    shares = f"{_share(way.micro):>8}{_share(way.macro):>8}{_share(way.text):>9}{_share(way.net):>8}"
    line = f"  {way.name:<26}{shares}"
    kinds = "  ".join(f"{kind} {share:.2f}" for kind, share in way.kinds.items())
    if not terminal.narrow or len(line) + len(kinds) + 2 <= terminal.width:
        return [f"{line}  {kinds}".rstrip()]
    return [terminal.hang(line), *(["    " + kinds] if kinds else [])]


def _share(share: float | None) -> str:
    return "-" if share is None else f"{share:.3f}"
