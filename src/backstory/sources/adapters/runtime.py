"""Histories of agent runtimes that embed Backstory: `ds4-runtime-session-v1`, canonical messages as JSON lines.

Whoever writes such a file refuses it as a whole when one line is damaged. For search a bad line costs only itself,
as in every other source. Before it: nothing; after it: `sources.reading`.
"""

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, ClassVar

import msgspec

from backstory.records import message as canonical
from backstory.records.session import ROLES, Draft, Facts, Kind
from backstory.sources import arguments
from backstory.sources.authorship import named_by
from backstory.sources.base import Source
from backstory.sources.blocks import IMAGE_CHARS, base64_length
from backstory.sources.clock import milliseconds
from backstory.sources.decode import typed, untyped
from backstory.sources.locations import LOCATIONS, Location
from backstory.sources.peek import peek

FORMAT = "ds4-runtime-session-v1"
_KINDS = {"user": Kind.PROMPT, "tool": Kind.TOOL_RESULT, "custom": Kind.MEMORY, "system": Kind.SYSTEM}
_SUMMARIES = frozenset({"compactionSummary", "branchSummary", "summary"})


class _Block(msgspec.Struct, gc=False, rename="camel"):
    type: str = ""
    text: str = ""
    thinking: str = ""
    id: str = ""
    name: str = ""
    arguments: Any = None
    tool_call_id: str = ""
    tool_name: str = ""
    content: str = ""
    is_error: bool = False
    mime_type: str | None = None
    data: msgspec.Raw = msgspec.Raw()
    path: str = ""
    artifact_id: str = ""
    summary_id: str = ""


class _Provenance(msgspec.Struct, gc=False, rename="camel"):
    original_role: str | None = None


class _Message(msgspec.Struct, gc=False, rename="camel"):
    id: str
    role: str
    blocks: list[_Block]
    source_entry_id: str | None = None
    provenance: _Provenance | None = None
    created_at: Any = None
    provider: str | None = None
    model: str | None = None


class _Row(msgspec.Struct, gc=False, rename="camel"):
    type: str = ""
    runtime_id: str | None = None
    session_id: str | None = None
    project_root: str | None = None
    message: _Message | None = None


_decoder = msgspec.json.Decoder(_Row)
_ROLES = {**{role: role for role in ROLES}, "custom": "user"}


class Parser:
    """Reads one history; see `backstory.sources.base.Parser`."""

    def __init__(self, path: str, facts: Facts | None) -> None:
        self.facts = facts or Facts(id=PurePath(path).stem, shape="line", rules="runtime", models=[], state={})

    def parse(self, raw: bytes) -> Sequence[Draft]:
        """One draft per message, none for the header."""
        row = typed(_decoder, raw)
        if row is None:
            untyped(raw)
            return (Draft(kind=Kind.STATE),)
        if row.type == FORMAT:
            self._header(row)
            return ()
        said = row.message
        return (self._message(said) if row.type == "message" and said else Draft(kind=Kind.STATE),)

    def _header(self, row: _Row) -> None:
        facts = self.facts
        facts.id = row.session_id or facts.id
        facts.cwd = row.project_root
        facts.version = "1"
        facts.state["runtime"] = row.runtime_id or ""

    def _message(self, said: _Message) -> Draft:
        role = _ROLES.get(said.role)
        draft = Draft(
            kind=_kind(said),
            role=role,
            text="" if said.role == "system" else "\n".join(line for block in said.blocks for line in _lines(block)),
            entry_id=said.source_entry_id or said.id,
            time=milliseconds(said.created_at),
            visible=role is not None,
            chars=sum(_chars(block) for block in said.blocks),
            tool=next((block.name or block.tool_name for block in said.blocks if _is_tool(block)), None),
            call_ids=tuple(id_ for block in said.blocks if _is_tool(block) and (id_ := block.tool_call_id or block.id)),
            paths=tuple(dict.fromkeys(path for block in said.blocks for path in _paths(block))),
            model=_model(said),
        )
        self._learn(draft)
        return draft

    def _learn(self, draft: Draft) -> None:
        facts = self.facts
        if facts.created is None:
            facts.created = draft.time
        if draft.kind == Kind.PROMPT:
            named_by(draft.text, facts)
        facts.use(draft.model)


class Runtime(Source):
    """Histories kept by runtimes that have no log of their own."""

    location: ClassVar[Location] = LOCATIONS["runtime"]

    def recognise(self, path: str, head: bytes) -> bool:
        """By the format's name in the header, or by messages with a provenance where the header is damaged."""
        if not path.endswith(self.location.suffixes):
            return False
        row = next(peek(_decoder, head), None)
        if row is None:
            return False
        return row.type == FORMAT or bool(row.type == "message" and row.message and row.message.provenance)

    def parser(self, path: str, facts: Facts | None = None) -> Parser:
        """A parser for one history."""
        return Parser(path, facts)

    def message(self, raw: bytes) -> canonical.Message | None:
        """The canonical message of one record."""
        row = typed(_decoder, raw)
        if row is None or row.type != "message" or row.message is None:
            return None
        said = row.message
        role = _ROLES.get(said.role)
        if role is None:
            return None
        blocks = tuple(block for given in said.blocks if (block := _block(given)) is not None)
        return canonical.Message(role, blocks, model=_model(said))


def _kind(said: _Message) -> str:
    if said.provenance and said.provenance.original_role in _SUMMARIES:
        return Kind.SUMMARY
    if said.role == "assistant":
        spoken = any(block.type == "text" for block in said.blocks)
        called = any(block.type == "toolCall" for block in said.blocks)
        return Kind.TOOL_CALL if called and not spoken else Kind.MESSAGE
    return _KINDS.get(said.role, Kind.STATE)


def _model(said: _Message) -> str | None:
    return f"{said.provider}/{said.model}" if said.provider and said.model else said.model


def _is_tool(block: _Block) -> bool:
    return block.type in {"toolCall", "toolResult"}


def _lines(block: _Block) -> list[str]:
    if block.type == "toolCall":
        return [block.name, *arguments.lines(block.arguments)]
    if block.type == "toolResult":
        return [block.tool_name, block.content]
    return [line for line in (block.text, block.path, block.artifact_id, block.summary_id) if line]


def _paths(block: _Block) -> list[str]:
    return arguments.paths(block.arguments) if block.type == "toolCall" else [block.path] if block.path else []


def _chars(block: _Block) -> int:
    if block.type == "image":
        return IMAGE_CHARS
    called = len(block.name) + arguments.size(block.arguments) if block.type == "toolCall" else 0
    return called + len(block.text) + len(block.thinking) + len(block.content) + len(block.path)


def _block(given: _Block) -> canonical.Block | None:
    if given.type == "thinking":
        return canonical.Thinking(given.thinking)
    if given.type == "toolCall":
        return canonical.ToolCall(given.id, given.name, given.arguments)
    if given.type == "toolResult":
        return canonical.ToolResult(given.tool_call_id, given.content, error=given.is_error)
    if given.type == "image":
        return canonical.Image(given.mime_type or "", base64_length(given.data))
    text = given.text or given.path or given.artifact_id or given.summary_id
    return canonical.Text(text) if text else None
