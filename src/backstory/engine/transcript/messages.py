"""Reads the messages of a session's entries from its log again, by the byte ranges that the index knows.

A record whose bytes are no longer those that were indexed is left out and told. Which entries a call sees is for
`engine.context` to say.
"""

from collections.abc import Mapping, Sequence

import msgspec

from backstory.engine.transcript.prepared import Read
from backstory.engine.transcript.session import Transcript
from backstory.engine.transcript.view import bare
from backstory.errors import UnreadableSourceError
from backstory.plan.condense import printed
from backstory.records.browsing import SessionRow
from backstory.records.located import Located
from backstory.records.message import Message, Thinking, ToolCall, ToolResult
from backstory.records.problem import Problem
from backstory.sources import raw, registry
from backstory.sources.base import Source
from backstory.text.tokens import CHARS, Estimator


def read(transcript: Transcript, wanted: Sequence[int], estimator: Estimator = CHARS) -> tuple[Problem, ...]:
    """Read what is not read yet of some entries, as far as the log still has it; gives what could not be read.

    That is tried again each time: a log that is out of reach for a moment must not be missing for as long as we live.
    """
    prepared = transcript.prepared
    prepared.size_by(estimator.version)
    known = prepared.read.keys() - prepared.unread.keys() if prepared.unread else prepared.read
    missing = [at for at in wanted if at not in known]
    for at in missing:
        if at < 0:
            prepared.note(at, _sized(transcript, at, transcript.guests.message(at), estimator))
    _read(transcript, [at for at in missing if at >= 0], estimator)
    problems = (prepared.unread.get(at) for at in wanted) if prepared.unread else ()
    return tuple(dict.fromkeys(problem for problem in problems if problem is not None))


def _read(transcript: Transcript, missing: Sequence[int], estimator: Estimator) -> None:
    if not missing:
        return
    entries, prepared = transcript.entries, transcript.prepared
    for at, outcome in _messages(transcript.row, {at: entries[at] for at in missing}).items():
        prepared.read[at] = Read()
        prepared.unread.pop(at, None)
        if isinstance(outcome, Problem):
            prepared.unread[at] = outcome
        elif outcome is not None:
            prepared.note(at, _sized(transcript, at, outcome, estimator))


def of_entry(row: SessionRow, entry: Located) -> Message | Problem | None:
    """The message of one entry of a session, None when it has none, or why it cannot be read."""
    return _messages(row, {0: entry})[0]


def _messages(row: SessionRow, entries: Mapping[int, Located]) -> dict[int, Message | Problem | None]:
    source = registry.load(row.source)
    try:
        raws = raw.read(row.path, {at: (entry.offset, entry.length) for at, entry in entries.items()})
    except UnreadableSourceError as error:
        return dict.fromkeys(entries, Problem(error.path, error.reason))
    return {at: _message(source, row.path, entry, raws.get(at)) for at, entry in entries.items()}


def _message(source: Source, path: str, entry: Located, record: bytes | None) -> Message | Problem | None:
    if record is None or raw.digest(record) != entry.hash:
        return Problem(path, f"the record of entry {entry.seq} is not what was indexed")
    try:
        return _sendable(source.message(raw.bare(record)))
    except msgspec.DecodeError:
        return Problem(path, f"the record of entry {entry.seq} cannot be read any more")


def _sized(transcript: Transcript, at: int, message: Message, estimator: Estimator) -> Read:
    item = bare(transcript.entry(at))
    seq = item.seq if at >= 0 else None
    sized = msgspec.structs.replace(item, tokens=estimator.message(message), role=message.role, seq=seq)
    longest = max([len(printed(block, item.kind) or "") for block in message.blocks], default=0)
    return Read(message, sized, longest, tuple(block.name for block in message.blocks if isinstance(block, ToolCall)))


def _sendable(message: Message | None) -> Message | None:
    """A message as another call may carry it.

    Reasoning goes back only to the model that wrote it, in a form no log keeps; a call or result without an id (of a
    search that the provider itself ran, for one) cannot be matched to its other half.
    """
    if message is None:
        return None
    kept = tuple(
        block
        for block in message.blocks
        if not isinstance(block, Thinking) and not (isinstance(block, ToolCall | ToolResult) and not block.id)
    )
    return message if len(kept) == len(message.blocks) else msgspec.structs.replace(message, blocks=kept)
