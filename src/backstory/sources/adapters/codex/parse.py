"""Turns the records of one Codex rollout file into drafts and learns the session's facts on the way.

What was said stands twice in a rollout, as a response item and as an event; only the item is indexed. Before it:
`records`, `content`; after it: `sources.reading`.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, cast

from backstory.records.session import Draft, Facts, Kind, Op
from backstory.sources import arguments
from backstory.sources.adapters.codex import content
from backstory.sources.adapters.codex.records import Item, Row, decoder
from backstory.sources.authorship import authored, named_by, titled
from backstory.sources.clock import milliseconds
from backstory.sources.decode import typed, untyped
from backstory.sources.open_calls import OpenCalls

_NAME = re.compile(r"rollout-[0-9T:.-]+?-([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$")
_CWD = re.compile(r"<cwd>([^<]{1,4096})</cwd>|Current working directory: ([^\n]{1,4096})")
_MOST_TURNS = 64


def named(path: str) -> Facts:
    """Fresh facts from the file's name, which ends in the session's id."""
    stem = re.sub(r"\.jsonl(?:\.zstd?)?$", "", path.replace("\\", "/").rpartition("/")[2])
    known = _NAME.match(stem)
    return Facts(id=known[1] if known else stem, shape="line", rules="codex", state={})


class Parser:
    """Reads one rollout file; see `backstory.sources.base.Parser`."""

    def __init__(self, path: str, facts: Facts | None) -> None:
        self.facts = facts or named(path)
        self._open_calls = OpenCalls(self.facts)
        self._turns = cast("list[int]", self.facts.state.setdefault("turns", []))
        self._items: dict[str, Callable[[Item], Draft]] = {
            "message": self._message,
            "agent_message": self._from_agent,
            "reasoning": _reasoning,
        }
        self._events: dict[str, Callable[[Item], Draft]] = {
            "error": _error,
            "stream_error": _error,
            "turn_aborted": _aborted,
            "patch_apply_end": _patched,
            "thread_name_updated": self._named,
            "thread_goal_updated": _goal,
            "thread_rolled_back": self._rolled_back,
        }

    def parse(self, raw: bytes) -> Sequence[Draft]:
        """No draft for a session's header, else one."""
        row = typed(decoder, raw)
        if row is None:
            untyped(raw)
            return (self._placed(Draft(kind=Kind.STATE), None),)
        time = milliseconds(row.timestamp) if row.timestamp else None
        if self.facts.created is None:
            self.facts.created = time
        if self._is_header(row):
            self._header(row.payload or row)
            return ()
        return (self._placed(self._draft(row), time),)

    def _placed(self, draft: Draft, time: int | None) -> Draft:
        # Rollbacks count turns, so the parser counts its drafts just as their ordinals are counted.
        state = self.facts.state
        seq = cast("int", state.get("count", 0))
        state["count"] = seq + 1
        draft.time = time
        if draft.kind == Kind.PROMPT:
            self._turns.append(seq)
            del self._turns[:-_MOST_TURNS]
            named_by(draft.text, self.facts)
        return draft

    def _is_header(self, row: Row) -> bool:
        if row.type == "session_meta":
            return True
        return not row.type and row.record_type is None and row.id is not None and row.timestamp is not None

    def _header(self, meta: Item) -> None:
        facts = self.facts
        facts.cwd = facts.cwd or meta.cwd
        facts.version = facts.version or meta.cli_version
        if not facts.state.get("named"):
            facts.state["named"] = True
            if meta.id and not _NAME.search(f"rollout-0-{facts.id}"):
                facts.id = meta.id
        if facts.parent is None:
            self._descend(meta)

    def _descend(self, meta: Item) -> None:
        facts = self.facts
        if spawned := _spawned(meta.source):
            facts.parent, facts.origin = spawned, "subagent"
        elif copied := meta.forked_from_id or (meta.id if meta.id != facts.id else None):
            facts.parent, facts.origin = copied, "fork"

    def _draft(self, row: Row) -> Draft:
        item = row.payload or row
        if row.type == "compacted":
            return _compacted(item)
        if row.type == "turn_context":
            return self._turn_context(item)
        if row.type == "event_msg":
            handler = self._events.get(item.type)
            return handler(item) if handler else Draft(kind=Kind.STATE)
        return self._item(item) if row.type == "response_item" or row.payload is None else Draft(kind=Kind.STATE)

    def _item(self, item: Item) -> Draft:
        if handler := self._items.get(item.type):
            draft = handler(item)
        elif item.type.endswith("_call"):
            draft = self._call(item)
        elif item.type.endswith("_output"):
            draft = self._output(item)
        else:
            draft = Draft(kind=Kind.STATE)
        draft.entry_id = item.id
        return draft

    def _message(self, item: Item) -> Draft:
        said = content.texts(item.content)
        role = item.role or "assistant"
        kind: str = Kind.MESSAGE
        if role == "user":
            kind, said = self._authorship(said)
        elif role != "assistant":
            role, kind = "system", Kind.SYSTEM
        model = self.facts.models[-1] if role == "assistant" and self.facts.models else None
        size = content.size(item.content)
        return Draft(kind=kind, role=role, text="\n".join(said), visible=True, chars=size, model=model)

    def _authorship(self, said: list[str]) -> tuple[str, list[str]]:
        each = [authored(text) for text in said]
        if self.facts.cwd is None:
            self._find_cwd(said)
        for kind in (Kind.PROMPT, Kind.MESSAGE, Kind.COMMAND):
            if typed_texts := [text for found, text in each if found == kind]:
                return kind, typed_texts
        return (Kind.BOOT if said else Kind.PROMPT), said

    def _find_cwd(self, said: list[str]) -> None:
        for text in said:
            if text.lstrip().startswith("<environment_context>") and (found := _CWD.search(text)):
                self.facts.cwd = (found[1] or found[2]).strip()

    def _from_agent(self, item: Item) -> Draft:
        text = "\n".join(content.texts(item.content))
        return Draft(kind=Kind.MESSAGE, role="user", text=text, visible=True, chars=content.size(item.content))

    def _call(self, item: Item) -> Draft:
        name = content.tool_name(item)
        given = content.call_arguments(item)
        if item.call_id:
            self._open_calls.called([(item.call_id, name)])
        return Draft(
            kind=Kind.TOOL_CALL,
            role="assistant",
            text="\n".join([name, *arguments.lines(given)]),
            visible=True,
            chars=len(name) + arguments.size(given),
            tool=name,
            call_ids=(item.call_id,) if item.call_id else (),
            paths=tuple(dict.fromkeys(_paths(given))),
        )

    def _output(self, item: Item) -> Draft:
        text = content.output_text(item.output)
        images = (
            content.size(item.output) - len("".join(content.texts(item.output))) if isinstance(item.output, list) else 0
        )
        return Draft(
            kind=Kind.TOOL_RESULT,
            role="tool",
            text=text,
            visible=True,
            chars=len(text) + images,
            tool=self._open_calls.answered(item.call_id) if item.call_id else None,
            call_ids=(item.call_id,) if item.call_id else (),
        )

    def _turn_context(self, item: Item) -> Draft:
        facts = self.facts
        facts.cwd = facts.cwd or item.cwd
        if not item.model or item.model == facts.state.get("model"):
            return Draft(kind=Kind.STATE)
        facts.state["model"] = item.model
        facts.use(item.model)
        return Draft(kind=Kind.MODEL, text=item.model, model=item.model)

    def _named(self, item: Item) -> Draft:
        if not item.thread_name:
            return Draft(kind=Kind.STATE)
        self.facts.title = titled(item.thread_name)
        return Draft(kind=Kind.TITLE, text=item.thread_name)

    def _rolled_back(self, item: Item) -> Draft:
        """The dropped turns, as far back as their starts are known, give way to the marker."""
        draft = Draft(kind=Kind.STATE)
        dropped = min(item.num_turns or 0, len(self._turns))
        if dropped > 0:
            start = self._turns[-dropped]
            del self._turns[-dropped:]
            draft.op = Op.REPLACE
            draft.target = f"{start}-{cast('int', self.facts.state.get('count', 0)) - 1}"
        return draft


def _reasoning(item: Item) -> Draft:
    size = content.size(item.summary) + content.size(item.content)
    return Draft(kind=Kind.MESSAGE, role="assistant", visible=True, chars=size)


def _compacted(item: Item) -> Draft:
    summary = item.message if isinstance(item.message, str) else ""
    kept = sum(content.size(piece.content) for piece in item.replacement_history or ())
    return Draft(kind=Kind.SUMMARY, role="user", text=summary, visible=True, chars=kept or len(summary), op=Op.COMPACT)


def _error(item: Item) -> Draft:
    return Draft(kind=Kind.ERROR, text=item.message if isinstance(item.message, str) else "")


def _aborted(item: Item) -> Draft:
    return Draft(kind=Kind.ERROR, text=f"turn aborted: {item.reason or 'unknown'}")


def _patched(item: Item) -> Draft:
    return Draft(kind=Kind.STATE, paths=tuple(item.changes or ()))


def _goal(item: Item) -> Draft:
    objective = item.goal.objective if item.goal else None
    return Draft(kind=Kind.TODO, text=objective) if objective else Draft(kind=Kind.STATE)


def _paths(given: Any) -> list[str]:
    found = arguments.paths(given)
    command = given.get("command") if isinstance(given, dict) else None
    if isinstance(command, list):
        found += [path for word in command if isinstance(word, str) for path in arguments.patched(word)]
    return found


def _spawned(source: Any) -> str | None:
    """The thread that started this one, from `{"subagent": {"thread_spawn": {"parent_thread_id": …}}}`."""
    for key in ("subagent", "thread_spawn", "parent_thread_id"):
        source = source.get(key) if isinstance(source, dict) else None
    return source if isinstance(source, str) else None
