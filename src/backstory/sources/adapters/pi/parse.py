"""Turns the records of one Pi file into drafts and learns the session's facts on the way.

Format 1 has no ids: its entries form a chain, and entry n is called "v1:n", the header being 0 as in Pi's own count.
Cutting lines, numbering and storage happen elsewhere. Before it: `records`, `content`; after it: `sources.reading`.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, cast

from backstory.records.session import Draft, Facts, Kind, Op
from backstory.sources.adapters.pi import details
from backstory.sources.adapters.pi.content import KEEPER, Gathered, add_call, gather
from backstory.sources.adapters.pi.records import Row, Said, decoder
from backstory.sources.authorship import bare, headline, titled
from backstory.sources.clock import milliseconds
from backstory.sources.decode import typed, untyped

NEWEST, NEW, OLD = "pi", "pi-1.6", "pi-0.84"
_STAMPED = re.compile(r"^\d{4}-\d\d-\d\dT[\d-]+Z_")


def session_id(path: str) -> str:
    """The session a file holds, by its name: what follows the time in it, else all of it without the ending."""
    name = path.replace("\\", "/").rpartition("/")[2].removesuffix(".jsonl")
    return _STAMPED.sub("", name)


class Parser:
    """Reads one session file; see `backstory.sources.base.Parser`."""

    def __init__(self, path: str, facts: Facts | None) -> None:
        self.facts = facts or Facts(id=session_id(path), shape="tree", rules=NEWEST, models=[], state={})
        self._entries: dict[str, Callable[[Row, Draft], None]] = {
            "message": self._message,
            "custom_message": self._custom_message,
            "custom": self._custom,
            "compaction": self._compaction,
            "branch_summary": self._branch_summary,
            "context_edit": self._edit,
            "model_change": self._model_change,
            "session_info": self._named,
            "label": self._label,
            "usage": self._usage,
        }
        self._messages: dict[str, Callable[[Said, Draft], None]] = {
            "user": self._user,
            "assistant": self._assistant,
            "toolResult": self._result,
            "bashExecution": self._bash,
            "custom": self._injected,
            "hookMessage": self._injected,
            "system": self._system,
        }

    def parse(self, raw: bytes) -> Sequence[Draft]:
        """One draft per entry, none for the header."""
        row = typed(decoder, raw)
        if row is None:
            return (self._placed(_shapeless(untyped(raw))),)
        if row.type == "session":
            self._header(row)
            return ()
        draft = self._placed(row)
        if handler := self._entries.get(row.type):
            handler(row, draft)
        if draft.entry_id is None:
            draft.visible = False
        return (draft,)

    def _header(self, row: Row) -> None:
        facts = self.facts
        if facts.version is not None:
            return
        facts.id = row.id or facts.id
        facts.version = str(row.version or 1)
        facts.cwd = row.cwd
        facts.created = milliseconds(row.timestamp)
        if origin := row.parent_session or row.branched_from:
            facts.parent = session_id(origin)
            facts.origin = "fork"
        self.facts.use(row.model_id, row.provider)

    def _placed(self, row: Row) -> Draft:
        facts = self.facts
        draft = Draft(kind=Kind.STATE, entry_id=row.id, parent_id=row.parent_id, time=milliseconds(row.timestamp))
        if row.id is None and facts.version in {None, "1"}:
            ordinal = cast("int", facts.state.get("entries", 0)) + 1
            facts.state["entries"] = ordinal
            draft.entry_id = f"v1:{ordinal}"
            draft.parent_id = f"v1:{ordinal - 1}" if ordinal > 1 else None
        if facts.created is None:
            facts.created = draft.time
        return draft

    def _message(self, row: Row, draft: Draft) -> None:
        said = row.message
        if said is None:
            return
        if draft.time is None:
            draft.time = milliseconds(said.timestamp)
        if handler := self._messages.get(said.role):
            draft.visible = True
            handler(said, draft)

    def _user(self, said: Said, draft: Draft) -> None:
        _fill(draft, Kind.PROMPT, "user", gather(said.content))
        state = self.facts.state
        known = cast("str | None", state.get("prompt"))
        if (known is None or bare(known)) and (title := headline(draft.text)) and not (known and bare(title)):
            state["prompt"] = title
            if self.facts.title in {None, "", known}:
                self.facts.title = title

    def _assistant(self, said: Said, draft: Draft) -> None:
        found = gather(said.content)
        kind = Kind.TOOL_CALL if found.call_ids and not found.texts else Kind.MESSAGE
        if said.error_message:
            found.texts.append(said.error_message)
            kind = kind if said.content else Kind.ERROR
        _fill(draft, kind, "assistant", found)
        draft.call_ids = tuple(found.call_ids)
        draft.tool = found.names[0] if found.names else None
        draft.model = self.facts.use(said.model, said.provider)
        self._written_by(NEW if said.duration_ms is not None else OLD)

    def _result(self, said: Said, draft: Draft) -> None:
        found = gather(said.content)
        if said.tool_name == KEEPER:
            found.texts = []
        for call in said.nested_calls.calls if said.nested_calls else ():
            add_call(found, call.name, call.arguments)
        _fill(draft, Kind.TOOL_RESULT, "tool", found)
        draft.tool = said.tool_name
        draft.call_ids = (said.tool_call_id,) if said.tool_call_id else ()

    def _bash(self, said: Said, draft: Draft) -> None:
        draft.kind = Kind.COMMAND
        draft.role = "user"
        draft.text = f"{said.command}\n{said.output}".strip("\n")
        draft.chars = len(said.command) + len(said.output)
        draft.visible = not said.exclude_from_context

    def _injected(self, said: Said, draft: Draft) -> None:
        _fill(draft, Kind.MEMORY, "user", gather(said.content))
        draft.tool = said.custom_type

    def _system(self, said: Said, draft: Draft) -> None:
        # A prompt made by the program, the same in every session: it is carried, but not worth finding.
        draft.kind = Kind.SYSTEM
        draft.role = "system"
        sections = sum(len(section or "") for section in (said.sections or {}).values())
        draft.chars = gather(said.content).chars + sections + len(bytes(said.tools_added))
        self._written_by(NEW)

    def _custom_message(self, row: Row, draft: Draft) -> None:
        _fill(draft, Kind.MEMORY, "user", gather(row.content))
        draft.visible = True
        draft.tool = row.custom_type

    def _custom(self, row: Row, draft: Draft) -> None:
        draft.tool = row.custom_type

    def _compaction(self, row: Row, draft: Draft) -> None:
        self._summarised(row, draft)
        draft.visible = True
        draft.chars += len(bytes(row.system_message))
        draft.op = Op.COMPACT
        draft.target = row.first_kept_entry_id
        if draft.target is None and row.first_kept_entry_index is not None:
            draft.target = f"v1:{row.first_kept_entry_index}"
        if bytes(row.system_message):
            self._written_by(NEW)

    def _branch_summary(self, row: Row, draft: Draft) -> None:
        self._summarised(row, draft)
        draft.visible = bool(row.summary)

    def _summarised(self, row: Row, draft: Draft) -> None:
        draft.kind = Kind.SUMMARY
        draft.role = "user"
        draft.text = row.summary
        draft.chars = len(row.summary)
        draft.paths = details.files(row.details)

    def _edit(self, row: Row, draft: Draft) -> None:
        _fill(draft, Kind.EDIT, None, gather(row.replacement.content if row.replacement else None))
        draft.visible = row.replacement is not None
        draft.op = Op.EDIT
        draft.target = row.target_id
        self._written_by(NEW)

    def _model_change(self, row: Row, draft: Draft) -> None:
        draft.kind = Kind.MODEL
        draft.model = self.facts.use(row.model_id, row.provider)
        draft.text = draft.model or ""

    def _named(self, row: Row, draft: Draft) -> None:
        draft.kind = Kind.TITLE
        draft.text = (row.name or "").strip()
        prompt = cast("str | None", self.facts.state.get("prompt"))
        self.facts.title = titled(draft.text) or prompt

    def _label(self, row: Row, draft: Draft) -> None:
        draft.kind = Kind.LABEL
        draft.text = row.label or ""
        draft.target = row.target_id

    def _usage(self, row: Row, draft: Draft) -> None:
        draft.model = self.facts.use(row.model_id, row.provider)
        self._written_by(NEW)

    def _written_by(self, dialect: str) -> None:
        # Old marks prove something only until the first new one, and nothing in a format older than both.
        facts = self.facts
        if dialect == NEW or (facts.rules == NEWEST and facts.version == "3"):
            facts.rules = dialect


def _fill(draft: Draft, kind: str, role: str | None, found: Gathered) -> None:
    draft.kind = kind
    draft.role = role
    draft.text = found.text
    draft.chars = found.chars
    if found.paths:
        draft.paths = tuple(dict.fromkeys(found.paths))


def _shapeless(value: Any) -> Row:
    """A record of unexpected shape keeps its place in the tree and nothing else."""
    if not isinstance(value, dict):
        return Row()
    id_, parent = value.get("id"), value.get("parentId")
    return Row(
        id=id_ if isinstance(id_, str) else None,
        parent_id=parent if isinstance(parent, str) else None,
        timestamp=value.get("timestamp"),
    )
