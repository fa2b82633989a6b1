"""Turns the records of one Claude Code file into drafts and learns the session's facts on the way.

Cutting lines, numbering and storage happen elsewhere. Before it: `records`, `content`; after it: `sources.reading`.
"""

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import Any

from backstory.records.session import Draft, Facts, Kind, Op
from backstory.sources.adapters.claude_code.content import Gathered, gather
from backstory.sources.adapters.claude_code.records import Row, decoder
from backstory.sources.adapters.claude_code.titles import Rank, Titles
from backstory.sources.authorship import authored
from backstory.sources.clock import milliseconds
from backstory.sources.decode import typed, untyped
from backstory.sources.open_calls import OpenCalls


def named(path: str) -> Facts:
    """Fresh facts from the file's name: a subagent file names its session by the folder it lies in."""
    file = PurePath(path)
    facts = Facts(id=file.stem, shape="tree", rules="claude", models=[], state={})
    parts = file.with_suffix("").parts
    if "subagents" in parts[1:-1]:
        at = len(parts) - 1 - parts[::-1].index("subagents")
        facts.parent = parts[at - 1]
        facts.id = "/".join((facts.parent, *parts[at + 1 :]))
        facts.origin = "subagent"
    elif file.stem.startswith("agent-"):
        facts.origin = "subagent"
    return facts


class Parser:
    """Reads one session file; see `backstory.sources.base.Parser`."""

    def __init__(self, path: str, facts: Facts | None) -> None:
        self.facts = facts or named(path)
        self._open_calls = OpenCalls(self.facts)
        self._titles = Titles(self.facts)
        self._handlers: dict[str, Callable[[Row, int | None], Draft]] = {
            "user": self._user,
            "assistant": self._assistant,
            "system": self._system,
            "summary": self._summary,
            "attachment": self._attachment,
            "queue-operation": self._queued,
            "custom-title": self._custom_title,
            "ai-title": self._ai_title,
            "pr-link": self._pull_request,
        }

    def parse(self, raw: bytes) -> Sequence[Draft]:
        """One draft per record."""
        row = typed(decoder, raw)
        if row is None:
            return (_shapeless(untyped(raw)),)
        time = milliseconds(row.timestamp) if row.timestamp else None
        self._observe(row, time)
        handler = self._handlers.get(row.type)
        return (handler(row, time) if handler else _draft(row, time, Kind.STATE),)

    def _observe(self, row: Row, time: int | None) -> None:
        facts = self.facts
        if row.uuid:
            self._titles.passed(row.uuid)
        if facts.created is None:
            facts.created = time
        if facts.cwd is None:
            facts.cwd = row.cwd
        if row.version:
            facts.version = row.version
        if facts.parent is None and row.session_id and (row.forked_from or facts.origin == "subagent"):
            self._descend(row)

    def _descend(self, row: Row) -> None:
        facts = self.facts
        if facts.origin == "subagent":
            facts.parent = row.session_id
            facts.id = f"{row.session_id}/{facts.id}"
        elif row.forked_from and row.forked_from.session_id not in (None, facts.id):
            facts.parent = row.forked_from.session_id
            facts.origin = "fork"

    def _assistant(self, row: Row, time: int | None) -> Draft:
        message = row.message
        if message is None or message.content is None:
            return _draft(row, time, Kind.STATE)
        found = gather(message.content)
        draft = self._spoken(row, time, found, Kind.MESSAGE if found.texts or not found.calls else Kind.TOOL_CALL)
        draft.role = "assistant"
        if found.calls:
            draft.tool = found.names[0]
            self._open_calls.called(zip(found.call_ids, found.names, strict=False))
        if row.is_api_error_message:
            draft.kind = Kind.ERROR
            draft.visible = False
        elif message.model and message.model != "<synthetic>":
            draft.model = self.facts.use(message.model)
        return draft

    def _user(self, row: Row, time: int | None) -> Draft:
        if row.message is None or row.message.content is None:
            return _draft(row, time, Kind.STATE)
        found = gather(row.message.content)
        if found.results:
            return self._answered(row, time, found)
        kind, found.texts = self._authorship(row, found.texts)
        draft = self._spoken(row, time, found, kind)
        draft.role = "user"
        draft.visible = bool(row.is_compact_summary or not row.is_visible_in_transcript_only)
        if kind in {Kind.PROMPT, Kind.MESSAGE} and not draft.sidechain:
            self._titles.prompted(draft.text)
        return draft

    def _answered(self, row: Row, time: int | None, found: Gathered) -> Draft:
        kind: str = Kind.TOOL_RESULT
        if found.texts and not row.is_meta:
            written, found.texts = self._authorship(row, found.texts)
            kind = written if written == Kind.PROMPT else kind
        draft = self._spoken(row, time, found, kind)
        draft.role = "user" if kind == Kind.PROMPT else "tool"
        for call in found.call_ids:
            name = self._open_calls.answered(call)
            draft.tool = draft.tool or name
        return draft

    def _authorship(self, row: Row, texts: list[str]) -> tuple[str, list[str]]:
        if row.is_compact_summary:
            return Kind.SUMMARY, texts
        if row.is_meta:
            return Kind.BOOT, texts
        if not texts:
            return Kind.PROMPT, texts
        each = [authored(text) for text in texts]
        for kind in (Kind.PROMPT, Kind.MESSAGE, Kind.COMMAND):
            if said := [text for found, text in each if found == kind]:
                return Kind.MESSAGE if kind == Kind.PROMPT and self._by_model(row) else kind, said
        return Kind.BOOT, texts

    def _by_model(self, row: Row) -> bool:
        return bool(row.plan_content or row.is_sidechain or self.facts.origin == "subagent")

    def _spoken(self, row: Row, time: int | None, found: Gathered, kind: str) -> Draft:
        return Draft(
            kind=kind,
            text="\n".join(found.texts + found.lines),
            entry_id=row.uuid,
            parent_id=row.parent_uuid,
            time=time,
            visible=True,
            chars=found.chars,
            call_ids=tuple(found.call_ids),
            paths=tuple(dict.fromkeys(found.paths)) if found.paths else (),
            sidechain=self._aside(row),
        )

    def _aside(self, row: Row) -> bool:
        # Everything in a subagent's own file is its main thread.
        return row.is_sidechain is True and self.facts.origin != "subagent"

    def _system(self, row: Row, time: int | None) -> Draft:
        draft = _draft(row, time, Kind.STATE)
        draft.sidechain = self._aside(row)
        if row.subtype == "compact_boundary":
            kept = row.compact_metadata and row.compact_metadata.preserved_segment
            draft.op = Op.COMPACT
            draft.target = kept.head_uuid if kept else None
            draft.parent_id = row.parent_uuid or row.logical_parent_uuid
        elif row.error:
            draft.kind = Kind.ERROR
            draft.text = _error_text(row.error)
        elif isinstance(row.content, str) and row.content and row.subtype != "microcompact_boundary":
            written = authored(row.content)
            draft.kind = Kind.COMMAND if written.kind == Kind.COMMAND else Kind.SYSTEM
            draft.text = written.text
        return draft

    def _summary(self, row: Row, time: int | None) -> Draft:
        draft = _draft(row, time, Kind.STATE)
        if row.summary and row.leaf_uuid and self._titles.describes(row.leaf_uuid, row.summary):
            draft.kind = Kind.TITLE
            draft.text = row.summary
        return draft

    def _custom_title(self, row: Row, time: int | None) -> Draft:
        return self._titled(row, time, Rank.PERSON, row.custom_title)

    def _ai_title(self, row: Row, time: int | None) -> Draft:
        return self._titled(row, time, Rank.MODEL, row.ai_title)

    def _titled(self, row: Row, time: int | None, rank: int, title: str | None) -> Draft:
        draft = _draft(row, time, Kind.TITLE if title else Kind.STATE)
        draft.text = title or ""
        self._titles.offer(rank, title)
        return draft

    def _pull_request(self, row: Row, time: int | None) -> Draft:
        draft = _draft(row, time, Kind.LABEL)
        name = f"{row.pr_repository or ''}#{row.pr_number}" if row.pr_number else ""
        draft.text = " ".join(filter(None, (name, row.pr_url)))
        return draft

    def _queued(self, row: Row, time: int | None) -> Draft:
        draft = _draft(row, time, Kind.STATE)
        if row.operation == "enqueue" and isinstance(row.content, str):
            draft.kind, draft.text = authored(row.content)
            draft.role = "user"
        return draft

    def _attachment(self, row: Row, time: int | None) -> Draft:
        draft = _draft(row, time, Kind.STATE)
        draft.sidechain = self._aside(row)
        given = row.attachment
        if given and (path := given.filename or given.path):
            draft.paths = (path,)
        if given and given.type == "queued_command":
            found = gather(given.prompt)
            draft.kind, found.texts = self._authorship(row, found.texts)
            draft.text = "\n".join(found.texts)
            draft.role = "user"
            draft.visible = True
            draft.chars = found.chars
        return draft


def _draft(row: Row, time: int | None, kind: str) -> Draft:
    return Draft(kind=kind, entry_id=row.uuid, parent_id=row.parent_uuid, time=time)


def _shapeless(value: Any) -> Draft:
    """A record of unexpected shape keeps its place in the tree and nothing else."""
    draft = Draft(kind=Kind.STATE)
    if isinstance(value, dict):
        uuid, parent = value.get("uuid"), value.get("parentUuid")
        draft.entry_id = uuid if isinstance(uuid, str) else None
        draft.parent_id = parent if isinstance(parent, str) else None
        draft.time = milliseconds(value.get("timestamp"))
    return draft


def _error_text(error: Any) -> str:
    for _ in range(4):
        if isinstance(error, str):
            return error
        if not isinstance(error, dict):
            break
        error = error.get("message") or error.get("formatted") or error.get("error")
    return ""
