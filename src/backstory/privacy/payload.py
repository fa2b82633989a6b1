"""The last check before bytes leave: a provider payload of unknown shape, walked by the names of its keys.

Below keys that carry content every string is checked; elsewhere only strings that hold a tag are. Keys that give a
payload its structure stay as they are. Anything that cannot be walked becomes an empty object, so the request fails
instead of leaking. `privacy.policy` says what a destination may see.
"""

from collections.abc import Iterator
from typing import Any

from backstory.privacy import classify
from backstory.privacy.policy import Guard, combine, unused
from backstory.records.privacy import Passage

STRUCTURE = frozenset(
    ("api", "id", "model", "name", "role", "stopReason", "stop_reason", "toolCallId", "tool_call_id", "type")
)
CONTENT = frozenset(
    (
        *(
            "arguments",
            "content",
            "contents",
            "context",
            "description",
            "input",
            "instructions",
            "messages",
            "metadata",
        ),
        *("parts", "prompt", "requestMetadata", "system", "system_instruction", "system_instructions"),
        *("systemInstruction", "systemInstructions", "systemPrompt", "text", "thinking", "toolConfig", "tools"),
    )
)


def sanitise(payload: Any, guard: Guard) -> tuple[Any, Passage]:
    """A payload as the guard's destination may see it; `({}, …)` when it cannot be checked."""
    if not guard.policy.enabled:
        return payload, Passage()
    try:
        walk = _Payload(guard, classify.floor(_strings(payload)))
        return walk.visit(payload, content=False), combine(walk.passages)
    except (ValueError, TypeError, RecursionError, KeyError):
        return {}, Passage("local-only", changed=True, blocked=1)


class _Payload:
    def __init__(self, guard: Guard, floor: str) -> None:
        self._guard = guard
        self._floor = floor
        self._open: set[int] = set()
        self.passages: list[Passage] = []

    def visit(self, value: Any, *, content: bool) -> Any:
        if isinstance(value, str):
            return self._text(value) if content or classify.marked(value) else value
        if isinstance(value, bytes | bytearray):
            level = classify.highest((self._guard.policy.default, self._floor))
            return value if not content or level in self._guard.target.allowed else b""
        if not isinstance(value, dict | list | tuple):
            return value
        if id(value) in self._open:
            raise ValueError("a payload contains itself")
        self._open.add(id(value))
        if isinstance(value, dict):
            shown: Any = self._mapping(value, content=content)
        else:
            shown = [self.visit(item, content=content) for item in value]
        self._open.discard(id(value))
        return shown

    def _mapping(self, value: dict[Any, Any], *, content: bool) -> dict[str, Any]:
        shown: dict[str, Any] = {}
        for key, item in value.items():
            name = str(key)
            known = name in STRUCTURE or name in CONTENT
            kept = known or (not content and not classify.marked(name))
            free = unused(name if kept else self._text(name), shown)
            if name in STRUCTURE and isinstance(item, str):
                shown[free] = self._text(item) if classify.marked(item) else item
            else:
                shown[free] = self.visit(item, content=content or name in CONTENT)
        return shown

    def _text(self, text: str) -> str:
        shown, passage = self._guard.text(text, floor=self._floor)
        self.passages.append(passage)
        return shown


def _strings(payload: Any) -> Iterator[str]:
    """All strings and keys in a payload, in any order; of what stands in it twice, once."""
    found, seen = [payload], set[int]()
    while found:
        value = found.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict | list | tuple) and id(value) not in seen:
            seen.add(id(value))
            found += [*map(str, value), *value.values()] if isinstance(value, dict) else value
