"""Gathers what may be added to a call: what was said earlier on the branch, pins and memories, project source.

Everything here is local to its part: when one source of evidence fails, the others still answer, and the failure is
told. Choosing and quoting are pure and belong to `plan`; this module only reads.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from backstory.engine import project, project_search
from backstory.engine.context import Context
from backstory.engine.open import Engine
from backstory.errors import UnreadableSourceError
from backstory.plan.memory_fold import fold
from backstory.plan.working import WorkingSet, digest
from backstory.records.evidence import Said
from backstory.records.memory import Fold, Mutation
from backstory.records.plan import Supplement
from backstory.records.project import SourceEvidence
from backstory.records.session import Kind
from backstory.sources import raw
from backstory.store import context as rows
from backstory.store import ledger, mutations, working_sets

KEEP = "memory-mutation"
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
    folder = given.row.cwd.rstrip("/") + "/" if given.row.cwd else ""
    return [_said(row, given.turns.get(row.seq, 0), folder) for row in found if row.seq in on_branch]


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


def kept(engine: Engine, given: Context) -> Fold:
    """Memories and pins that this session's own log, the logs of its project and our ledger hold.

    The logs of other sessions count only for a working folder that a person trusts as a project.
    """
    folder = given.row.cwd
    shared = folder if folder in project.trusted_roots(engine.home) else None
    found = mutations.marked(engine.history, given.key, shared)
    by_path: dict[str, list[mutations.Marked]] = {}
    for one in found:
        by_path.setdefault(one.path, []).append(one)
    logged = [one for path, rows_ in by_path.items() for one in _from_log(path, rows_)]
    return fold([*logged, *from_ledger(engine)])


def _from_log(path: str, marked: Sequence[mutations.Marked]) -> Iterator[Mutation]:
    """The mutations of one log; a log that cannot be read any more contributes nothing."""
    try:
        raws = raw.read(path, {one.seq: (one.offset, one.length) for one in marked})
    except UnreadableSourceError:
        return
    for one in marked:
        if one.seq in raws:
            yield Mutation(
                type=one.type,
                session=one.session,
                entry=one.entry_id or str(one.seq),
                order=one.seq,
                payload=_data(raws[one.seq]),
                time=one.time,
                parent=one.parent_id,
                project=one.project,
                file=path,
                ready=not one.missing,
            )


def from_ledger(engine: Engine) -> Iterator[Mutation]:
    """Mutations that a person made through Backstory, whatever agent the session belongs to."""
    for order, record in enumerate(ledger.read(engine.home, KEEP)):
        yield Mutation(
            type=str(record.get("custom_type")),
            session=str(record.get("session")),
            entry=str(record.get("id")),
            order=order,
            payload=record.get("payload"),
            time=record["at"] if isinstance(record.get("at"), int) else None,
            parent=record.get("leaf"),
            project=record.get("project"),
        )


def _data(record: bytes) -> Any:
    try:
        found = msgspec.json.decode(raw.bare(record))
    except msgspec.DecodeError:
        return None
    return found.get("data") if isinstance(found, dict) else None


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
