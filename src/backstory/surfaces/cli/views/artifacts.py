"""Large tool results that plans refer to."""

from backstory.records.artifact import Artifact, ArtifactCheck, ArtifactMatches, ArtifactShown
from backstory.surfaces.cli.terminal import Terminal
from backstory.text.wording import counted, size


def shown(answer: ArtifactShown, terminal: Terminal) -> str:
    """A result in full."""
    return f"{_head(answer.artifact, terminal)}\n{answer.text}\n"


def matches(answer: ArtifactMatches, terminal: Terminal) -> str:
    """Stretches around matches."""
    rule = terminal.style("-" * 40, "dim")
    found = f"\n{rule}\n".join(answer.matches) or "Not found."
    return f"{_head(answer.artifact, terminal)}: {counted(answer.total, 'match')}\n{found}\n"


def checked(answer: ArtifactCheck, terminal: Terminal) -> str:
    """What is whole and what is not."""
    lines = [
        f"kept tool results: {answer.whole} whole, {len(answer.missing)} missing, {len(answer.corrupt)} damaged",
        *(terminal.style(f"missing {name}", "yellow") for name in answer.missing),
        *(terminal.style(f"damaged {name}", "red") for name in answer.corrupt),
    ]
    if answer.remade:
        lines.append(f"{answer.remade} made again from their logs")
    elif answer.missing or answer.corrupt:
        lines.append("--repair makes them again from their logs")
    if answer.unreferenced:
        done = f"{answer.removed} removed" if answer.removed else "--collect removes them"
        lines.append(f"{counted(answer.unreferenced, 'object')} that nothing refers to; {done}")
    return "\n".join(lines) + "\n"


def _head(artifact: Artifact, terminal: Terminal) -> str:
    what = f"{artifact.tool or 'tool'} #{artifact.seq} of {artifact.session_id} ({size(artifact.size)})"
    return terminal.style(f"{artifact.id[:12]}  {what}", "bold")
