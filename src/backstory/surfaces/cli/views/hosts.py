"""What became of the extension of a host, and what is wrong with it."""

from backstory.records.extension import Diagnosis, Installed, PiStatus, PlaceRow
from backstory.surfaces.cli.terminal import Terminal
from backstory.surfaces.cli.views.reports import STATUS

_OUTCOMES = {
    "installed": "Backstory is in Pi now; it takes part from the next start of Pi, or after /reload.",
    "updated": "Brought up to date; /reload in Pi takes it in.",
    "unchanged": "Everything is up to date.",
    "removed": "Backstory is out of Pi; your sessions and what they keep are as they were.",
    "absent": "Nothing of Backstory is installed there.",
}
_PACKED = {
    "installed": "A package for Pi was written; this puts it in: pi install DIR",
    "updated": "The package was brought up to date; /reload in Pi takes it in.",
    "unchanged": "The package is up to date.",
    "removed": "The package is gone; if Pi still names it, pi remove DIR forgets it.",
    "absent": "No package of Backstory lies there.",
}
_STATES = {
    "current": "green",
    "outdated": "yellow",
    "edited": "yellow",
    "foreign": "red",
    "absent": "dim",
    "bare": "yellow",
}


def installed(answer: Installed, terminal: Terminal) -> str:
    """What was done, and where."""
    done = (_PACKED if answer.packed else _OUTCOMES)[answer.outcome]
    lines = [terminal.hang(done), terminal.style(answer.folder, "dim")]
    if answer.tools:
        lines.append(terminal.style(terminal.hang(f"tools for the model: {', '.join(answer.tools)}"), "dim"))
    return "\n".join(lines) + "\n"


def status(answer: PiStatus, terminal: Terminal) -> str:
    """One block a place."""
    return "\n".join([f"Backstory {answer.version}", *(_place(row, terminal) for row in answer.places)]) + "\n"


def _place(row: PlaceRow, terminal: Terminal) -> str:
    state = terminal.style(row.state, _STATES.get(row.state, "dim"))
    version = f" {row.version}, {len(row.tools)} tools, {row.python}" if row.version else ""
    return f"{row.name:<16} {state}{version}\n                 {terminal.style(row.folder, 'dim')}"


def diagnosis(answer: Diagnosis, terminal: Terminal) -> str:
    """One line a check."""
    lines = [
        terminal.hang(f"{terminal.style(f'{one.status:<4}', STATUS[one.status])}  {one.name:<11}  {one.detail}")
        for one in answer.checks
    ]
    return "\n".join([*lines, terminal.style(f"overall: {answer.status}", STATUS[answer.status])]) + "\n"
