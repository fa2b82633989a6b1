"""Words the question that a person answers before anything is kept, replaced or ended.

What the person said last stands below it: a wish that came from somewhere else is seen to have no ground there.
The text in question stands behind a bar on every line, so that nothing in it can look like a part of the question.
"""

from backstory.engine.host.hosted import Hosted
from backstory.engine.host.persistence.proposing import ProposedChange
from backstory.records.mutation import Made
from backstory.records.tools import Persistence
from backstory.store import browse
from backstory.text.charts import clipped, plain

TITLE = "DS4 Context Persistence"
LONGEST_TARGET, LONGEST_SAID = 500, 100
_WIDTH = 96
_VERBS = {
    "pin_add": "pin this, so that every call holds it",
    "pin_supersede": "replace a pin by this",
    "pin_unpin": "take back this pin",
    "memory_add": "remember this",
    "memory_supersede": "replace a memory by this",
    "memory_invalidate": "mark this memory as wrong",
    "memory_expire": "mark this memory as no longer true",
}
_SCOPES = {
    "session": "in this session",
    "branch": "on this branch of the session",
    "project": "in every session of this project",
}


def question(about: Hosted, arguments: Persistence, change: ProposedChange, *, doubt: bool) -> str:
    """The whole text that is added, or the beginning of what ends, and what will hold afterwards."""
    target, adds = change.proposal.target, isinstance(change.proposal.change, Made)
    lines = [f"The model {model(about)} asks to {_VERBS[arguments.action]}:", ""]
    lines += quoted(change.text if adds else change.text[:LONGEST_TARGET])
    if target is not None and adds:
        lines += ["", "instead of:", "", *quoted(target.text[:LONGEST_TARGET])]
    for other in change.proposal.against:
        lines += ["", f"although this is kept {_SCOPES[other.scope]}:", "", *quoted(other.text[:LONGEST_TARGET])]
    if isinstance(arguments.reason, str):
        lines += ["", "because:", "", *quoted(arguments.reason)]
    lines += ["", f"It holds {_SCOPES[change.scope]}. Who may see it: {change.level}."]
    lines += [f"You last said: {_said(about, change.evidence)}"]
    if doubt:
        lines.append("An earlier attempt at the same may have been written already; it will count once.")
    return "\n".join(lines)


def _said(about: Hosted, evidence: str) -> str:
    """The beginning of the message that the change rests on, on one line."""
    entry = about.context.transcript.named(evidence)
    found = browse.shown(about.engine.history, about.context.key, [entry.seq]) if entry is not None else []
    return clipped(plain(found[0].text), LONGEST_SAID) if found else "(not to be read)"


def model(about: Hosted) -> str:
    """The name of the model that asks."""
    known = about.call.model
    return plain(f"{known.provider}/{known.id}")[:80] if known is not None else "in use"


def quoted(text: str) -> list[str]:
    """A text behind bars, in lines of bounded width."""
    lines = []
    for line in plain(text).replace("\t", " ").split("\n"):
        parts = [line[at : at + _WIDTH] for at in range(0, len(line), _WIDTH)] or [""]
        lines += [f"  | {part}" for part in parts]
    return lines
