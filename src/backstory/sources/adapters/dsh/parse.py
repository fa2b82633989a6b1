"""Turns the events of one DSH file into drafts and learns the session's facts on the way.

An event keeps its native number; a row of packed stream chunks takes as many numbers as it holds chunks. Numbers
never go back: an event whose number was already taken gets the next free one. Cutting lines, decompression and storage
happen elsewhere. Before it: `records`, `content`; after it: `sources.reading`.
"""

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any, TypeVar

import msgspec

from backstory.records.session import Draft, Facts, Kind, Op
from backstory.sources.adapters.dsh import records
from backstory.sources.adapters.dsh.content import Gathered, add_call, ending, failure, gather, joined
from backstory.sources.adapters.dsh.records import Line, Row, Said, Told
from backstory.sources.authorship import named_by, titled
from backstory.sources.clock import milliseconds
from backstory.sources.decode import typed, untyped
from backstory.sources.open_calls import OpenCalls

T = TypeVar("T")

_HIGHEST = 2**53
_PACKED = frozenset({"text-chunks", "reasoning-chunks", "tool-call-chunks"})
_MESSAGES = frozenset({"user/message", "steering/message", "assistant/message", "system/message", "tool/result"})
# Events whose data is decoded together with their line, where that begins as DSH writes it.
_TOLD = _MESSAGES | {"tool/call"}
_NAMED = {name.encode(): name for name in _TOLD}
_BEFORE = len(b'{"type":"')
_LONGEST = _BEFORE + max(map(len, _TOLD)) + 1


def session_id(path: str) -> str:
    """The session's name on disk: the file's stem, or its folder where every file is called the same."""
    file = PurePath(path)
    stem = file.name.partition(".")[0]
    return file.parent.name if stem == "session" and file.parent.name else stem


class Parser:
    """Reads one session file; see `backstory.sources.base.Parser`."""

    def __init__(self, path: str, facts: Facts | None) -> None:
        self.facts = facts or Facts(id=session_id(path), shape="line", rules="dsh", models=[], state={})
        self._state: dict[str, Any] = self.facts.state
        self._open_calls = OpenCalls(self.facts)
        self._events: dict[str, Callable[[Line, Draft], None]] = {
            "user/message": self._user,
            "steering/message": self._user,
            "system/message": self._system,
            "assistant/message": self._assistant,
            "tool/call": self._call,
            "tool/result": self._result,
            "tool/ptc-dispatch": self._dispatched,
            "tool/code-dispatch": self._dispatched,
            "todo/write": self._todo,
            "turn/end": self._end,
            "session/title": self._titled,
            "request/header": self._request,
            "request/context": self._request,
        }

    def parse(self, raw: bytes) -> Sequence[Draft]:
        """One draft per event or packed row, none for the header."""
        row: Line | None = _told(raw)
        span = 1
        if row is None:
            row = typed(records.row, raw) or _shapeless(untyped(raw))
            if row.type == "session":
                self._header(row)
                return ()
            span = _chunks(row) if row.type in _PACKED else 1
        draft = self._placed(row, span)
        if handler := self._events.get(row.type):
            handler(row, draft)
        self._surface(row, draft)
        # Only a record that was read to its end takes a number: a damaged one comes again, in pieces.
        self._state["next"] = (draft.seq or 0) + span
        return (draft,)

    def _header(self, row: Line) -> None:
        facts = self.facts
        if facts.version is not None:
            return
        facts.id = row.id or facts.id
        facts.version = str(row.version)
        facts.created = milliseconds(row.created_at)
        facts.cwd = row.cwd
        facts.parent = row.parent_session
        facts.seed_length = row.seed_length
        facts.delegation_depth = row.delegation_depth or 0
        facts.agent_preset = row.agent_preset
        if row.origin == "subagent" or facts.delegation_depth:
            facts.origin = "subagent"
        elif row.parent_session:
            facts.origin = "fork"

    def _placed(self, row: Line, span: int) -> Draft:
        seq: int = self._state.get("next", 0)
        native = row.seq if row.seq0 is None else row.seq0
        if isinstance(native, int) and seq <= native < _HIGHEST:
            seq = native
        time = milliseconds(row.time if row.time0 is None else row.time0)
        if self.facts.created is None:
            self.facts.created = time
        return Draft(kind=Kind.STATE, time=time, seq=seq, span=span)

    def _surface(self, row: Line, draft: Draft) -> None:
        op = row.surface_op
        draft.visible = op is not None or row.type in _MESSAGES
        if isinstance(op, dict) and op.get("op") == "replace":
            draft.op = Op.REPLACE
            draft.target = f"{op.get('start', op.get('startSeq'))}-{op.get('end', op.get('endSeq'))}"
            if draft.kind == Kind.BOOT:
                draft.kind = Kind.SUMMARY
        if isinstance(row.source_event_seqs, list):
            draft.sources = tuple(seq for seq in row.source_event_seqs if isinstance(seq, int))

    def _user(self, row: Line, draft: Draft) -> None:
        if data := _said(row):
            message = data.said
            typed_in = message.source is None or message.source.kind in {"user", ""}
            _fill(draft, Kind.PROMPT if typed_in else Kind.BOOT, "user", gather(message.content))
            draft.entry_id = message.id
            if typed_in:
                named_by(draft.text, self.facts)

    def _system(self, row: Line, draft: Draft) -> None:
        # A prompt made by the program: it is carried, but not worth finding.
        if data := _said(row):
            _fill(draft, Kind.SYSTEM, "system", gather(data.said.content))
            draft.entry_id = data.said.id
            draft.text = ""

    def _assistant(self, row: Line, draft: Draft) -> None:
        if data := _said(row):
            message = data.said
            found = gather(message.content)
            kind = Kind.TOOL_CALL if found.call_ids and not found.spoken else Kind.MESSAGE
            _fill(draft, kind, "assistant", found)
            draft.entry_id = message.id
            draft.call_ids = tuple(found.call_ids)
            draft.tool = found.names[0] if found.names else None
            if message.source:
                draft.model = self.facts.use(message.source.model, message.source.provider)

    def _call(self, row: Line, draft: Draft) -> None:
        if data := _said(row):
            found = Gathered()
            add_call(found, data.name, data.arguments)
            _fill(draft, Kind.TOOL_CALL, "assistant", found)
            draft.chars = 0
            draft.tool = data.name
            if data.call_id:
                draft.call_ids = (data.call_id,)
                self._open_calls.called([(data.call_id, data.name)])

    def _result(self, row: Line, draft: Draft) -> None:
        if data := _said(row):
            found = gather(data.said.content)
            found.parts += failure(data)
            found.paths += [diff.path for diff in data.meta.diffs if diff.path] if data.meta else []
            _fill(draft, Kind.TOOL_RESULT, "tool", found)
            draft.entry_id = data.said.id
            draft.call_ids = tuple(found.call_ids)
            names = [self._open_calls.answered(call) for call in found.call_ids]
            draft.tool = next(filter(None, names), None)

    def _dispatched(self, row: Line, draft: Draft) -> None:
        if data := _said(row):
            found = Gathered()
            add_call(found, data.name, data.arguments)
            found.parts += gather(data.content).parts
            _fill(draft, Kind.TOOL_RESULT, "tool", found)
            draft.chars = 0
            draft.tool = data.name

    def _todo(self, row: Line, draft: Draft) -> None:
        if data := _data(records.todos, row):
            draft.kind = Kind.TODO
            draft.text = joined([part for todo in data.todos for part in (todo.status, todo.content)])

    def _end(self, row: Line, draft: Draft) -> None:
        if (data := _data(records.end, row)) and (text := ending(data.reason)):
            draft.kind = Kind.ERROR
            draft.text = text

    def _titled(self, row: Line, draft: Draft) -> None:
        if (data := _data(records.title, row)) and data.title:
            draft.kind = Kind.TITLE
            draft.text = data.title
            self.facts.title = titled(data.title)

    def _request(self, row: Line, draft: Draft) -> None:
        if data := _data(records.request, row):
            asked = (data.header and data.header.config) or data
            draft.model = self.facts.use(asked.model, asked.provider)
            if draft.model and draft.model != self.facts.state.get("model"):
                self.facts.state["model"] = draft.model
                draft.kind = Kind.MODEL
                draft.text = draft.model


def _fill(draft: Draft, kind: str, role: str, found: Gathered) -> None:
    draft.kind = kind
    draft.role = role
    draft.text = found.text
    draft.chars = found.chars
    if found.paths:
        draft.paths = tuple(dict.fromkeys(found.paths))


def _told(raw: bytes) -> Told | None:
    """An event of `_TOLD`; None for any other, and where it takes more to decode it."""
    name = _NAMED.get(raw[_BEFORE : raw.find(b'"', _BEFORE, _LONGEST)])
    if name is None:
        return None
    try:
        row = records.told.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None
    return row if row.type == name else None


def _said(row: Line) -> Said | None:
    """The data of a message or tool event, None when it has another shape."""
    return row.data if isinstance(row, Told) else _data(records.said, row)


def _data(decoder: msgspec.json.Decoder[T], row: Line) -> T | None:
    """The data of an event, None when it has another shape."""
    data = bytes(row.data) if isinstance(row, Row) else b""
    return typed(decoder, data) if data else None


def _chunks(row: Line) -> int:
    data = _data(records.packed, row)
    return max(1, len(data.texts or data.args or ()) if data else 1)


def _shapeless(value: Any) -> Row:
    """An event of unexpected shape keeps its number and time."""
    given = value if isinstance(value, dict) else {}
    return Row(seq=given.get("seq"), seq0=given.get("seq0"), time=given.get("time"))
