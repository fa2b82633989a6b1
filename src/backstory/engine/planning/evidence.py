"""Gathers what was said earlier on the branch of a call, as a working set or as texts to quote.

Choosing and quoting are pure and belong to `plan`; this module only reads. Neighbours: `source` gathers what stands in
the project.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from hashlib import sha256

import msgspec

from backstory.engine.context import Context
from backstory.engine.open import Engine
from backstory.engine.planning.gate import Gate
from backstory.engine.transcript.quoted import Remembered
from backstory.engine.transcript.reached import VOICES
from backstory.plan.evidence.working import RULES, WorkingSet
from backstory.records.evidence import Said
from backstory.records.tool_names import OWN_TOOLS
from backstory.store import recall, working_sets
from backstory.store.context import EntryText
from backstory.text import canonical

_WORTH_KEEPING = 40
_MOST_KEPT = 4_000_000  # characters
_SHELLS = frozenset(("bash", "shell", "exec_command", "run_shell_command", "local_shell", "execute", "terminal"))
_FAILED = re.compile(r"(?:Exit code [1-9]|Error\b|<tool_use_error>|Traceback \(most recent)")


def said(context: Context, positions: Sequence[int] | None = None) -> list[Said]:
    """What was said and done in some entries of a session, by default on the whole branch, compacted parts included.

    That a tool of ours was asked, and what it answered, is left out: it only repeats something. Paths are relative to
    the working folder.
    """
    transcript = context.transcript
    chosen = transcript.reached.spoken if positions is None else positions
    folder, entries, turns = folder_of(context), transcript.entries, transcript.reached.turns
    found = transcript.texts([entries[at].seq for at in chosen])
    voiced = (_said(one, turns.get(transcript.at(one.seq), 0), folder) for one in found if one.kind in VOICES)
    return [one for one in voiced if not _repeats(one)]


def texts(context: Context, seqs: Sequence[int]) -> dict[int, str]:
    """The texts of entries as `said` has them, by sequence number; of those of the last time none is read again."""
    folder, transcript, quoted = folder_of(context), context.transcript, context.transcript.quoted
    known = quoted.excerpted
    new = transcript.texts([seq for seq in seqs if seq not in known])
    found = {seq: known[seq] for seq in seqs if seq in known}
    found.update((one.seq, _relative(one.text, folder)) for one in new)
    quoted.excerpted = found if sum(map(len, found.values())) <= _MOST_KEPT else {}
    return found


def matched(engine: Engine, context: Context, seqs: Sequence[int]) -> list[Said]:
    """Indexed entries as `said` gives them, in order; of those of the last time none is read again."""
    folder, transcript, quoted = folder_of(context), context.transcript, context.transcript.quoted
    known = quoted.matched if quoted.turns is transcript.reached.turns else {}
    quoted.notes.of = {seq: note for seq, note in quoted.notes.of.items() if seq in known}
    found = {seq: known[seq] for seq in seqs if seq in known}
    for row in recall.texts(engine.history, context.key, [seq for seq in seqs if seq not in known]):
        found[row.seq] = _said(row, transcript.reached.turns.get(transcript.at(row.seq), 0), folder)
    size = sum([len(said.text) for said in found.values()])
    quoted.turns, quoted.matched = transcript.reached.turns, found if size <= _MOST_KEPT else {}
    return [found[seq] for seq in sorted(found) if not _repeats(found[seq])]


def _repeats(one: Said) -> bool:
    """Whether an entry is a call of a tool of ours and nothing else, or what it answered."""
    if one.tool not in OWN_TOOLS:
        return False
    return one.voice == "result" or (len(one.call_ids) == 1 and one.text.startswith(one.tool or ""))


def folder_of(context: Context) -> str:
    """What paths in the working folder begin with; empty without one."""
    return context.row.cwd.rstrip("/") + "/" if context.row.cwd else ""


def _relative(text: str, folder: str) -> str:
    return text.replace(folder, "") if folder and folder in text else text


def _said(one: EntryText, turn: int, folder: str) -> Said:
    voice = VOICES.get(one.kind, "assistant")
    if voice == "assistant" and one.call_ids:
        voice = "call"
    text = _relative(one.text, folder)
    return Said(
        seq=one.seq,
        voice=voice,
        text=text,
        turn=turn,
        entry_id=one.entry_id,
        time=one.time,
        tool=one.tool,
        command=_command(text, one.tool) if voice == "call" else None,
        paths=tuple(path.removeprefix(folder) for path in one.paths),
        call_ids=one.call_ids,
        failed=voice == "result" and _FAILED.match(text) is not None,
    )


def _command(text: str, tool: str | None) -> str | None:
    """The command of a shell call: the argument line behind the tool's name."""
    if tool is None or tool.lower() not in _SHELLS:
        return None
    head, found, rest = text.partition(f"{tool}\n")
    return rest if found and (not head or head.endswith("\n")) else None


def remembered(engine: Engine, context: Context, positions: Sequence[int], gate: Gate) -> Remembered:
    """The working set of these entries as far as they may be quoted, made from an earlier one where that still holds.

    It goes on growing with the session: whoever holds it must not keep it beyond the call.
    """
    transcript = context.transcript
    policy = canonical.encode((gate.policy, gate.provider)) if gate.policy.enabled else b""
    known = transcript.quoted.remembered
    if known is None or known.policy != policy or known.positions != positions[: len(known.positions)]:
        known = transcript.quoted.remembered = Remembered(policy, [], WorkingSet())
        if not policy:
            _restore(engine, context, known, positions)
    for one in said(context, positions[len(known.positions) :]):
        if not policy or gate.quotable(one.text):
            known.working.observe(one)
    known.positions = list(positions)
    return known


def _restore(engine: Engine, context: Context, known: Remembered, positions: Sequence[int]) -> None:
    count, digest = working_sets.covered(engine.history, context.key) if context.key else (0, "")
    if count and count <= len(positions) and digest == _digest(context, positions[:count]):
        with suppress(msgspec.DecodeError, ValueError):
            known.working = WorkingSet.restored(working_sets.get(engine.history, context.key))
            known.positions = list(positions[:count])


def keep(engine: Engine, context: Context) -> None:
    """Keep the working set of a session when it covers so much more than the one kept that later plans gain by it."""
    known = context.transcript.quoted.remembered
    if known is None or known.policy or not context.key:
        return
    covered, digest = kept = working_sets.covered(engine.history, context.key)
    count = len(known.positions)
    grown = count - covered >= max(_WORTH_KEEPING, covered // 8)
    if grown or covered > count or (kept != known.kept and digest != _digest(context, known.positions[:covered])):
        content = known.working.dump()
        kept = count, _digest(context, known.positions)
        working_sets.put(engine.history, context.key, *kept, content)
    known.kept = kept


def _digest(context: Context, positions: Sequence[int]) -> str:
    """What tells whether entries, and the folder, are still those that a working set was made from."""
    entries, start = context.transcript.entries, canonical.encode((RULES, folder_of(context)))
    return sha256(b"".join((start, *[entries[at].hash for at in positions]))).hexdigest()
