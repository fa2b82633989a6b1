"""Gathers what may be added to a call: what was said earlier on the branch, and project source.

Everything here is local to its part: when one source of evidence fails, the others still answer, and the failure is
told. Choosing and quoting are pure and belong to `plan`; this module only reads.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from backstory.engine import project, project_search
from backstory.engine.context import Context
from backstory.engine.open import Engine
from backstory.plan.working import WorkingSet, digest
from backstory.records.evidence import Said
from backstory.records.plan import Supplement
from backstory.records.project import SourceEvidence
from backstory.records.session import Kind
from backstory.store import context as rows
from backstory.store import working_sets

_WORTH_KEEPING = 40
_VOICES = {
    Kind.PROMPT: "user",
    Kind.MESSAGE: "assistant",
    Kind.TOOL_CALL: "call",
    Kind.TOOL_RESULT: "result",
    Kind.COMMAND: "user",
}
_SHELLS = frozenset(("bash", "shell", "exec_command", "run_shell_command", "local_shell", "execute", "terminal"))
_FAILED = re.compile(r"(?:Exit code [1-9]|Error\b|<tool_use_error>|Traceback \(most recent)")


def said(engine: Engine, given: Context) -> list[Said]:
    """What was said and done on the branch, compacted parts included, paths relative to the working folder."""
    if not given.branch:
        return []
    on_branch = frozenset(given.branch)
    found = rows.said(engine.history, given.key, given.branch[0], given.branch[-1])
    folder = folder_of(given)
    return [_said(row, given.turns.get(row.seq, 0), folder) for row in found if row.seq in on_branch]


def said_of(row: rows.Text, given: Context) -> Said:
    """One entry as `said` gives it."""
    return _said(row, given.turns.get(row.seq, 0), folder_of(given))


def folder_of(given: Context) -> str:
    """What paths in the working folder begin with; empty without one."""
    return given.row.cwd.rstrip("/") + "/" if given.row.cwd else ""


def _said(row: rows.Text, turn: int, folder: str) -> Said:
    voice = _VOICES.get(Kind(row.kind), "assistant")
    if voice == "assistant" and row.call_ids:
        voice = "call"
    text = row.text.replace(folder, "") if folder and folder in row.text else row.text
    return Said(
        seq=row.seq,
        voice=voice,
        text=text,
        turn=turn,
        entry_id=row.entry_id,
        time=row.time,
        tool=row.tool,
        command=_command(text, row.tool) if voice == "call" else None,
        paths=tuple(path.removeprefix(folder) for path in row.paths),
        call_ids=row.call_ids,
        failed=voice == "result" and _FAILED.match(text) is not None,
    )


def _command(text: str, tool: str | None) -> str | None:
    """The command of a shell call: the argument line behind the tool's name."""
    if tool is None or tool.lower() not in _SHELLS:
        return None
    head, found, rest = text.partition(f"{tool}\n")
    return rest if found and (not head or head.endswith("\n")) else None


def working_set(engine: Engine, given: Context, entries: Sequence[Said]) -> WorkingSet:
    """The working set of these entries, from what was kept of an earlier one as far as that still holds."""
    kept_ = working_sets.get(engine.history, given.key)
    made = WorkingSet()
    if kept_ is not None and kept_[0] <= len(entries) and kept_[1] == digest(entries[: kept_[0]]):
        with suppress(msgspec.DecodeError, ValueError):
            made = WorkingSet.restored(kept_[2], entries[: kept_[0]])
    for one in entries[len(made.said) :]:
        made.observe(one)
    return made


def keep(engine: Engine, given: Context, made: WorkingSet) -> None:
    """Keep a working set when it covers so much more than the one kept that the next plan gains by it."""
    kept_ = working_sets.get(engine.history, given.key)
    covered = kept_[0] if kept_ is not None and kept_[1] == digest(made.said[: kept_[0]]) else 0
    if len(made.said) - covered >= _WORTH_KEEPING:
        working_sets.put(engine.history, given.key, len(made.said), digest(made.said), made.dump())


def source(
    engine: Engine, root: str, text: str, room: int
) -> tuple[tuple[Supplement, ...], tuple[SourceEvidence, ...], tuple[str, ...]]:
    """Ranges of a trusted project for a request within `room` tokens: as supplements, as found, and warnings.

    Raises:
        ProjectError: the root is no project, or nobody trusts it.
    """
    opened = project.opened(engine.home, project.locate(engine.home, Path(root)))
    found, result = project_search.evidence(opened, text, budget=room)
    made = tuple(
        Supplement(one.id, "project", one.text, one.tokens, (one.path,), one.score, one.level, "matches the request")
        for one in found
    )
    return made, found, result.warnings
