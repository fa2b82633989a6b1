"""Takes what was kept, or was to be kept, out of calls and results of the tool that keeps it, before any provider.

A session goes on after its model was changed, and what one model may know another may not. So of calls and results of
`context_persistence` only names, states and outcomes are sent on, whatever the policy; the rest becomes one fixed note.
Calls and results stay paired. Neighbours: `engine.host.persistence` words the results, `engine.planning.gate` applies
this.
"""

import re
from collections.abc import Container, Iterable, Mapping
from typing import Any

import msgspec

from backstory.records.message import Block, Message, ToolCall, ToolResult
from backstory.records.privacy import LEVELS

TOOL = "context_persistence"
OMITTED = "[DS4 omitted: what was kept is not repeated]"
NAME = re.compile(r"[A-Za-z0-9._:-]{1,128}\Z")
REVISION = re.compile(r"rev_[A-Za-z0-9_-]{1,60}\Z")
_WORD = re.compile(r"[a-z_]{1,40}\Z")
_CHOICES = {"scope": frozenset(("session", "branch", "project")), "classification": frozenset(LEVELS)}
_STATE = r"(?:session|branch|project), [a-z]+, (?:" + "|".join(LEVELS) + ")"
_ITEM = re.compile(
    rf"[A-Za-z0-9._:-]{{1,128}}  (?:pin|memory), {_STATE}(?:, not on this branch)?, revision rev_[\w-]{{1,60}}\Z",
    re.ASCII,
)
_SOURCE = re.compile(
    r"source_[\w-]{1,60}  [a-z]+, \d+ mutations, \d+ for the project, revision rev_[\w-]{1,60}\Z", re.ASCII
)
_DONE = re.compile(rf"committed: (?:pin|memory) [A-Za-z0-9._:-]{{1,128}} \({_STATE}\)(?: was kept already)?\.\Z")
_HEAD = re.compile(r"(?:ok: \d+ found\.|[a-z_]{1,30} \([a-z-]{1,40}\):|cancelled:)")


def calls(messages: Iterable[Message | None]) -> frozenset[str]:
    """Ids of the calls of the tool in some messages."""
    return frozenset(
        block.id
        for message in messages
        if message is not None and message.role == "assistant"
        for block in message.blocks
        if isinstance(block, ToolCall) and block.name == TOOL
    )


def reduced(message: Message, ids: Container[str]) -> Message:
    """A message without what the tool was told or told; `ids` are those of its calls. Others come back as they are."""
    blocks = tuple(_block(block, ids) for block in message.blocks)
    return message if blocks == message.blocks else msgspec.structs.replace(message, blocks=blocks)


def _block(block: Block, ids: Container[str]) -> Block:
    if isinstance(block, ToolCall) and block.name == TOOL:
        return msgspec.structs.replace(block, arguments=_arguments(block.arguments))
    if isinstance(block, ToolResult) and block.id in ids:
        return msgspec.structs.replace(block, content=_content(block.content))
    return block


def _arguments(given: Any) -> dict[str, Any]:
    if not isinstance(given, Mapping):
        return {"action": OMITTED}
    return {key if key in _KNOWN else "other": one if _told(key, one) else OMITTED for key, one in given.items()}


def _told(key: str, value: Any) -> bool:
    """Whether an argument is a name or a choice, and so says nothing of what is kept."""
    if key in {"activeOnly", "maxResults"}:
        return isinstance(value, bool | int)
    if not isinstance(value, str):
        return False
    if key in _CHOICES:
        return value in _CHOICES[key]
    pattern = {"action": _WORD, "id": NAME, "targetRevision": REVISION}.get(key)
    return pattern is not None and pattern.match(value) is not None


_KNOWN = frozenset((
    "action", "scope", "id", "targetRevision", "content", "key", "query", "reason", "classification", "activeOnly",
    "maxResults",
))  # fmt: skip


def _content(text: str) -> str:
    lines = text.split("\n")
    head = _HEAD.match(lines[0])
    kept = [lines[0]] if _DONE.match(lines[0]) else [head[0]] if head else []
    kept += [line for line in lines[1:] if _ITEM.match(line) or _SOURCE.match(line)]
    return "\n".join(kept if kept == lines else [*kept, OMITTED])
