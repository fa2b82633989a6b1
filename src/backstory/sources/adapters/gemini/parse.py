"""Turns the records of one Gemini session into drafts and learns the session's facts on the way.

One native message holds what the model wrote, the tools it called and their results; the results become a draft of
their own, so that the two can be told apart in a search. Before it: `records`, `content`, `live`; after it:
`sources.reading`.
"""

from collections.abc import Sequence
from pathlib import PurePath
from typing import cast

from backstory.records.session import Draft, Facts, Kind, Op
from backstory.sources import arguments
from backstory.sources.adapters.gemini import content
from backstory.sources.adapters.gemini.documents import is_document
from backstory.sources.adapters.gemini.live import Live
from backstory.sources.adapters.gemini.records import Patch, Row, Turn, decoder
from backstory.sources.authorship import authored, named_by, titled
from backstory.sources.clock import milliseconds
from backstory.sources.decode import typed, untyped


def named(path: str, cwd: str | None) -> Facts:
    """Fresh facts from the file's place: a subagent's file lies in a folder named by its parent session."""
    file = PurePath(path)
    facts = Facts(id=file.stem, cwd=cwd, shape="line", rules="gemini", state={})
    if "chats" in file.parts[:-2]:
        facts.parent = file.parent.name
    return facts


class Parser:
    """Reads one session, line by line or message by message; see `backstory.sources.base.Parser`."""

    def __init__(self, path: str, facts: Facts | None, cwd: str | None) -> None:
        self.facts = facts or named(path, cwd)
        self._document = is_document(path)
        self._live = Live(self.facts)

    def parse(self, raw: bytes) -> Sequence[Draft]:
        """No draft for a header or an ordinary patch, one for most messages, two for one with tool results."""
        row = typed(decoder, raw)
        if row is None:
            other = untyped(raw)
            if self._document and isinstance(other, str):
                return self._title(other)
            self._live.number(1)
            return (Draft(kind=Kind.STATE),)
        if row.rewind is not None:
            return self._rewound(row.rewind)
        if row.id is None and row.patch is not None:
            return self._patched(row.patch)
        if row.id is None and row.session_id is not None and row.project_hash is not None:
            self._header(row)
            return ()
        return self._turn(row)

    def _header(self, row: Row) -> None:
        facts = self.facts
        facts.created = facts.created or milliseconds(row.start_time)
        self._described(row.summary, row.directories)
        if row.session_id and not facts.state.get("named"):
            facts.state["named"] = True
            if row.kind == "subagent" and facts.parent:
                facts.origin = "subagent"
                facts.id = f"{facts.parent}/{row.session_id}"
            else:
                facts.parent = None
                facts.id = row.session_id

    def _described(self, summary: str | None, directories: list[str] | None) -> None:
        if summary:
            self.facts.title = titled(summary)
        if self.facts.cwd is None and directories:
            self.facts.cwd = directories[0]

    def _turn(self, turn: Turn) -> list[Draft]:
        drafts = self._drafts(turn)
        time = milliseconds(turn.timestamp)
        self._passed(time)
        first = self._live.number(len(drafts))
        for draft in drafts:
            draft.time = time
            draft.entry_id = turn.id
        if turn.id is not None and drafts[0].visible:
            earlier = self._live.replace(turn.id, first, first + len(drafts) - 1)
            if earlier:
                drafts[0].op, drafts[0].target = Op.REPLACE, earlier
        return drafts

    def _drafts(self, turn: Turn) -> list[Draft]:
        if turn.type == "gemini":
            return self._spoken(turn)
        if turn.type == "user":
            return [self._typed(turn)]
        kind = {"error": Kind.ERROR, "info": Kind.SYSTEM, "warning": Kind.SYSTEM}.get(turn.type)
        return [Draft(kind=kind, text="\n".join(content.texts(turn.content))) if kind else Draft(kind=Kind.STATE)]

    def _typed(self, turn: Turn) -> Draft:
        size = content.size(turn.content)
        answered = [part.function_response for part in content.pieces(turn.content) if part.function_response]
        if answered:
            text = "\n".join(content.response_text(answer) for answer in answered)
            ids = tuple(answer.id for answer in answered if answer.id)
            name = answered[0].name or None
            return Draft(
                kind=Kind.TOOL_RESULT, role="tool", text=text, visible=True, chars=size, tool=name, call_ids=ids
            )
        shown = turn.content if turn.display_content is None else turn.display_content
        kind, text = authored("\n".join(content.texts(shown)))
        if kind == Kind.PROMPT:
            named_by(text, self.facts)
        return Draft(kind=kind, role="user", text=text, visible=True, chars=size)

    def _spoken(self, turn: Turn) -> list[Draft]:
        said = content.texts(turn.content)
        runs = turn.tool_calls or []
        self.facts.use(turn.model)
        lines = [line for run in runs for line in (run.name, *arguments.lines(run.args))]
        called = sum(len(run.name) + arguments.size(run.args) for run in runs)
        ids = tuple(run.id for run in runs if run.id)
        name = runs[0].name or None if runs else None
        spoken = Draft(
            kind=Kind.MESSAGE if said or not runs else Kind.TOOL_CALL,
            role="assistant",
            text="\n".join(said + lines),
            visible=True,
            chars=content.size(turn.content) + content.thoughts_size(turn.thoughts) + called,
            tool=name,
            call_ids=ids,
            paths=tuple(dict.fromkeys(path for run in runs for path in arguments.paths(run.args))),
            model=turn.model,
        )
        results = [run for run in runs if run.result is not None]
        if not results:
            return [spoken]
        answered = Draft(
            kind=Kind.TOOL_RESULT,
            role="tool",
            text="\n".join(content.result_text(run) for run in results),
            visible=True,
            chars=sum(content.size(run.result) for run in results),
            tool=results[0].name or None,
            call_ids=tuple(run.id for run in results if run.id),
        )
        return [spoken, answered]

    def _rewound(self, id_: str) -> list[Draft]:
        gone = self._live.rewind(id_)
        self._live.number(1)
        if gone is None:
            return [Draft(kind=Kind.STATE, op=Op.RESET)]
        return [Draft(kind=Kind.STATE, op=Op.REPLACE, target=gone)]

    def _patched(self, patch: Patch) -> list[Draft]:
        """Replaced messages give way, new ones join into one summary; a new title is an entry."""
        before = self.facts.title
        self._passed(milliseconds(patch.last_updated))
        self._described(patch.summary, patch.directories)
        if not patch.messages:
            return self._title(patch.summary) if patch.summary and self.facts.title != before else []
        fresh = [turn for turn in patch.messages if not self._live.knows(turn.id)]
        gone = self._live.keep([turn.id for turn in patch.messages if turn.id])
        drafts = [Draft(kind=Kind.STATE, op=Op.REPLACE, target=span) for span in gone]
        if fresh:
            drafts[:1] = [self._joined(fresh, gone[0] if gone else None)]
        first = self._live.number(len(drafts))
        for turn in fresh:
            if turn.id:
                self._live.replace(turn.id, first, first)
        return drafts

    def _title(self, text: str) -> list[Draft]:
        """A title has no time of its own: it was given after what stands before it."""
        self._live.number(1)
        return [Draft(kind=Kind.TITLE, text=text, time=cast("int | None", self.facts.state.get("time")))]

    def _passed(self, time: int | None) -> None:
        if time is not None:
            self.facts.state["time"] = time

    def _joined(self, turns: list[Turn], gone: str | None) -> Draft:
        return Draft(
            kind=Kind.SUMMARY,
            role="user",
            text="\n".join(text for turn in turns for text in content.texts(turn.content)),
            entry_id=turns[0].id,
            time=milliseconds(turns[0].timestamp),
            visible=True,
            chars=sum(content.size(turn.content) for turn in turns),
            op=Op.REPLACE if gone else None,
            target=gone,
        )
