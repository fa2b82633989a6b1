"""How pins, memories and the logs they come from look to a person, each with where it was said."""

from backstory.records.memory import Kept, MemorySource
from backstory.records.memory_requests import Exclusion, KeptAnswer, KeptList, MemorySourceAnswer, MemorySources
from backstory.surfaces.cli.terminal import Terminal
from backstory.text.wording import counted

_MARKS = {"ready": "green", "excluded": "yellow", "beyond": "yellow", "missing": "red", "corrupt": "red"}


def kept(answer: KeptAnswer, terminal: Terminal) -> str:
    """One pin or memory after a change, as a list shows it."""
    note = "" if answer.written else terminal.style("kept already\n", "dim")
    lines = [_kept(answer.item, terminal), _origin(answer.item, terminal), *map(terminal.note, answer.warnings)]
    return note + "\n".join(lines) + "\n"


def kept_list(answer: KeptList, terminal: Terminal) -> str:
    """Pins or memories, one a line, each with where it comes from."""
    return _list(answer, terminal, "Nothing is kept.")


def found(answer: KeptList, terminal: Terminal) -> str:
    """Pins and memories that hold what was looked for."""
    return _list(answer, terminal, "Nothing that is kept holds these words.")


def _list(answer: KeptList, terminal: Terminal, nothing: str) -> str:
    lines = [line for item in answer.items for line in (_kept(item, terminal), _origin(item, terminal))]
    told = [terminal.style(terminal.hang(warning), "yellow") for warning in answer.warnings]
    return "\n".join([*(lines or [nothing]), *told]) + "\n"


def sources(answer: MemorySources, terminal: Terminal) -> str:
    """The logs of a project with their status."""
    kept = "what a session's log keeps for the project counts"
    if answer.shared:
        head = f"{answer.project}: {kept} in all its sessions"
    elif answer.trusted:
        head = f"{answer.project}: {kept} there alone; memory.across_sessions is off"
    else:
        head = f"{answer.project}: not trusted, so {kept} there alone"
    lines = [_source(one, terminal) for one in answer.items] or ["No session log of this project holds memory."]
    lines += [_excluded(one, terminal) for one in answer.excluded]
    return "\n".join([terminal.hang(head), *lines]) + "\n"


def decided(answer: MemorySourceAnswer, terminal: Terminal) -> str:
    """What was decided about a session."""
    verb = "does not count" if answer.excluded else "counts"
    already = "" if answer.written else " (as before)"
    return terminal.hang(f"What {answer.session} keeps for {answer.project} {verb}{already}.") + "\n"


def _source(one: MemorySource, terminal: Terminal) -> str:
    told = f"{counted(one.mutations, 'record')}, {one.project_mutations} for the project"
    damaged = f", {counted(one.malformed, 'damaged line')}" if one.malformed else ""
    why = one.reason or one.error
    status = terminal.style(f"{one.status:<8}", _MARKS.get(one.status, "yellow"))
    about = f"{told}{damaged}{f': {why}' if why else ''}"
    return terminal.hang(f"{status}  {terminal.style(one.session[:12], 'cyan')}  {about}")


def _excluded(one: Exclusion, terminal: Terminal) -> str:
    status = terminal.style("excluded", _MARKS.get("excluded", "yellow"))
    why = f": {one.reason}" if one.reason else ""
    return terminal.hang(f"{status}  {terminal.style(one.session[:12], 'cyan')}  no record{why}")


def _kept(item: Kept, terminal: Terminal) -> str:
    state = "" if item.status == "active" else f" ({_state(item)})"
    key = f" [{item.key}]" if item.key else ""
    return terminal.hang(f"{terminal.style(item.id[:12], 'cyan')}  {item.scope:<7}{key} {item.text}{state}")


def _state(item: Kept) -> str:
    """What became of an item and why; a reason that begins with the status says both."""
    reason = item.reason or ""
    return reason if reason.startswith(item.status) else f"{item.status}: {reason}" if reason else item.status


def _origin(item: Kept, terminal: Terminal) -> str:
    place = f"in {item.file}" if item.file else "told to Backstory"
    cited = f", from {', '.join(item.sources[1:])}" if item.sources[1:] else ""
    level = "" if item.level == "normal" else f", {item.level}"
    return terminal.style(terminal.hang(f"              session {item.session[:12]}, {place}{cited}{level}"), "dim")
