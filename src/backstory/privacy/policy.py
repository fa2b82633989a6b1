"""Which levels a provider may see, and what is left of a text or message on its way there.

A remote provider never sees local-only content, whatever its rule says. A message keeps its blocks, so that calls and
results still pair up; only their content is withheld. Evidence is never cut: `admit` takes it whole or not at all.
With privacy enabled everything here fails closed: what cannot be checked is withheld.
Before it: `privacy.classify`, `privacy.secrets`. Provider payloads of unknown shape are for `privacy.payload`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from backstory.config.checks import provider as provider_name
from backstory.privacy import classify, secrets
from backstory.records.message import Block, Message, Text, Thinking, ToolCall, ToolResult
from backstory.records.privacy import LEVELS, Destination, Passage, Policy

UNCHECKED = "[DS4 content withheld: it could not be checked]"
MANY = 200


def destination(policy: Policy, provider: str) -> Destination:
    """What a provider may see under a policy."""
    name = provider_name(provider)
    if name in map(provider_name, policy.local):
        return Destination(name, local=True, allowed=frozenset(LEVELS))
    rules = {provider_name(key): levels for key, levels in policy.remote.items()}
    allowed = frozenset(rules.get(name, policy.remote_default)) - {"local-only"}
    return Destination(name, local=False, allowed=allowed)


class Guard:
    """Checks what goes to one destination under one policy.

    Of texts without tags it remembers which hold no credential: the same ones leave in messages and in payloads. `many`
    says that many are to come.
    """

    def __init__(self, policy: Policy, target: Destination) -> None:
        self.policy = policy
        self.target = target
        self.many = False
        self._clean: set[str] = set()

    def clean(self, text: str) -> bool:
        """Whether a text of no higher level than the default is known to leave as it is."""
        return text in self._clean and self.policy.default in self.target.allowed

    def text(self, text: str, *, explicit: str | None = None, floor: str = "normal") -> tuple[str, Passage]:
        """A text as the destination may see it: prohibited segments become placeholders, tags go, secrets go.

        The level of every segment is the highest of the default, `explicit`, `floor` and its own markers.
        """
        if not self.policy.enabled:
            return text, Passage()
        base = classify.highest((self.policy.default, explicit or "normal", floor))
        if base in self.target.allowed:
            if text in self._clean:
                return text, Passage(base, inspected=1)
            if not classify.marked(text):
                shown, found = self._redact(text)
                if shown is text:
                    self._clean.add(text)
                return shown, Passage(base, changed=shown is not text, secrets=found, inspected=1)
        reading = classify.read(text, base)
        blocked = sum(segment.level not in self.target.allowed for segment in reading.segments)
        shown, found = self._redact(classify.strip("".join(map(self._shown, reading.segments))))
        level = reading.level if reading.segments else base
        return shown, Passage(level, changed=shown != text, blocked=blocked, secrets=found, inspected=1)

    def message(self, message: Message, explicit: str | None = None) -> tuple[Message, Passage]:
        """A message as the destination may see it, block by block; broken tags in one block raise all of them."""
        return self._message(message, explicit) if self.policy.enabled else (message, Passage())

    def admit(self, text: str, explicit: str | None = None) -> tuple[str | None, Passage]:
        """A piece of evidence without tags and secrets, or None when any part of it is prohibited."""
        shown, passage = self.text(text, explicit=explicit)
        return (None if passage.blocked else shown), passage

    def value(self, value: Any, *, explicit: str | None = None, floor: str = "normal") -> tuple[Any, Passage]:
        """JSON content: every string and key in it is checked; the shape stays."""
        walk = _Walk(self, explicit, floor)
        shown = walk.visit(value)
        passage = combine(walk.passages)
        return (shown if passage.changed else value), passage

    def _message(self, message: Message, explicit: str | None) -> tuple[Message, Passage]:
        try:
            texts = (text for block in message.blocks for text in strings(block))
            floor = classify.floor(text for text in texts if text not in self._clean)
            checked = [self._block(block, explicit, floor) for block in message.blocks]
        except (ValueError, TypeError, RecursionError, KeyError):
            return withhold(message), Passage("local-only", changed=True, blocked=len(message.blocks))
        passage = combine([found for _, found in checked], self.policy.default)
        if not passage.changed:
            return message, passage
        return msgspec.structs.replace(message, blocks=tuple(block for block, _ in checked)), passage

    def _block(self, block: Block, explicit: str | None, floor: str) -> tuple[Block, Passage]:
        if isinstance(block, Text | Thinking):
            text, passage = self.text(block.text, explicit=explicit, floor=floor)
            return (type(block)(text) if passage.changed else block), passage
        if isinstance(block, ToolResult):
            text, passage = self.text(block.content, explicit=explicit, floor=floor)
            images = msgspec.UNSET if passage.blocked else block.images
            return (msgspec.structs.replace(block, content=text, images=images) if passage.changed else block), passage
        if isinstance(block, ToolCall):
            arguments, passage = self.value(block.arguments, explicit=explicit, floor=floor)
            return (msgspec.structs.replace(block, arguments=arguments) if passage.changed else block), passage
        level = classify.highest((self.policy.default, explicit or "normal", floor))
        if level in self.target.allowed:
            return block, Passage(level)
        return Text(placeholder(level)), Passage(level, changed=True, blocked=1)

    def _shown(self, segment: classify.Segment) -> str:
        return segment.text if segment.level in self.target.allowed else placeholder(segment.level)

    def _redact(self, text: str) -> tuple[str, int]:
        if not self.policy.redact_secrets or self.target.local:
            return text, 0
        return secrets.redact(text, many=self.many or len(self._clean) >= MANY)


class _Walk:
    """One recursive copy of a JSON value. Keys that collide after cleaning get a number."""

    def __init__(self, guard: Guard, explicit: str | None, floor: str) -> None:
        self._guard = guard
        self._explicit = explicit
        self._floor = floor
        self.passages: list[Passage] = []

    def visit(self, value: Any) -> Any:
        if isinstance(value, str):
            text, found = self._guard.text(value, explicit=self._explicit, floor=self._floor)
            self.passages.append(found)
            return text
        if isinstance(value, Mapping):
            shown: dict[str, Any] = {}
            for key, item in value.items():
                shown[unused(self.visit(str(key)), shown)] = self.visit(item)
            return shown
        if isinstance(value, list | tuple):
            return [self.visit(item) for item in value]
        return value


def placeholder(level: str) -> str:
    """What stands for withheld content."""
    return f"[DS4 {level} content excluded by privacy policy]"


def withhold(message: Message) -> Message:
    """A message of the same shape with no content at all: what is left when it cannot be checked."""
    return msgspec.structs.replace(message, blocks=tuple(map(_withheld, message.blocks)))


def strings(block: Block) -> list[str]:
    """The texts inside a block, those in the arguments of a call included."""
    if isinstance(block, Text | Thinking):
        return [block.text]
    if isinstance(block, ToolResult):
        return [block.content]
    return list(_strings(block.arguments)) if isinstance(block, ToolCall) else []


def combine(passages: Iterable[Passage], default: str = "normal") -> Passage:
    """The sum of several checks; the level is the highest of them."""
    levels, changed, blocked, found, inspected = {default}, False, 0, 0, 0
    for passage in passages:
        levels.add(passage.level)
        changed = changed or passage.changed
        blocked += passage.blocked
        found += passage.secrets
        inspected += passage.inspected
    return Passage(classify.highest(levels), changed, blocked, found, inspected)


def unused(key: str, taken: Mapping[str, Any]) -> str:
    """A key that is not taken: itself, or with the first free number behind it."""
    number, free = 1, key
    while free in taken:
        number += 1
        free = f"{key}_{number}"
    return free


def _withheld(block: Block) -> Block:
    if isinstance(block, ToolCall):
        return msgspec.structs.replace(block, arguments={})
    if isinstance(block, ToolResult):
        return msgspec.structs.replace(block, content=UNCHECKED, images=msgspec.UNSET)
    return Text(UNCHECKED)


def _strings(value: Any) -> Any:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield str(key)
            yield from _strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _strings(item)
