"""Applies a person's privacy policy to a call before it is planned: to native messages and to every supplement.

Messages keep their shape with what is prohibited withheld; a supplement with anything prohibited in it is left out as
a whole. When checking itself fails, everything of that part is withheld. Without an enabled policy nothing
is touched but what our own tool was told to keep.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from backstory.config import checks
from backstory.engine.context import Context
from backstory.engine.transcript.checked import Passed, copied
from backstory.engine.transcript.session import Transcript
from backstory.privacy import classify, persistence
from backstory.privacy import policy as rules
from backstory.privacy.payload import STRUCTURE, sanitise
from backstory.privacy.policy import Guard
from backstory.records.evidence import Said
from backstory.records.manifest import Line
from backstory.records.message import Message
from backstory.records.plan import Supplement
from backstory.records.planning import PlannedMessage
from backstory.records.privacy import Passage, Policy, PrivacyReport
from backstory.text.tokens import CHARS, Estimator

REFUSED = "holds what this provider may not see"


class Gate:
    """One policy towards one provider, and the count of what it did."""

    def __init__(self, policy: Policy, provider: str, transcript: Transcript, estimator: Estimator = CHARS) -> None:
        checks.privacy(policy)
        self.policy = policy
        self.provider = provider
        self._estimator = estimator
        self._guard = Guard(policy, rules.destination(policy, provider))
        self._checked = transcript.prepared.checks(policy, self._guard.target)
        self._passages: list[Passage] = []
        self._refused: dict[tuple[str, str], Line] = {}
        self._late = 0

    def context(self, context: Context, positions: Sequence[int] | None = None) -> None:
        """Check the messages of a context (all, or those at some positions) in place; sizes and levels follow."""
        self._own(context, positions)
        if not self.policy.enabled:
            return
        wanted = context.read if positions is None else positions
        self._guard.many = len(wanted) >= rules.MANY
        items, entries = context.items, context.entries
        changed: dict[int, Message] = {}
        for position in wanted:
            message = context.messages[position]
            if message is None:
                continue
            shown, passage = self._message(message, entries[position] if position < len(entries) else None)
            self._passages.append(passage)
            if shown is not message:
                changed[position] = shown
            if passage.level != items[position].level:
                items[position] = msgspec.structs.replace(items[position], level=passage.level)
        context.show(changed, self._estimator)

    def _own(self, context: Context, positions: Sequence[int] | None) -> None:
        """Take out what our own tool was told to keep, whatever the policy."""
        ids = persistence.calls(context.messages[at] for at in context.calling(persistence.TOOL))
        if not ids:
            return
        changed: dict[int, Message] = {}
        for position in context.read if positions is None else positions:
            message = context.messages[position]
            shown = persistence.reduced(message, ids) if message is not None else None
            if shown is not None and shown is not message:
                changed[position] = shown
        context.show(changed, self._estimator)

    def quotable(self, text: str) -> bool:
        """Whether a text may be quoted from at all."""
        if not self.policy.enabled:
            return True
        known = self._checked.quotable(text)
        if known is None:
            known = self._admitted(text)[0] is not None
            self._checked.note_quotable(text, quotable=known)
        return known

    def supplements(self, offered: Sequence[Supplement]) -> list[Supplement]:
        """Those that may go, without their tags and secrets."""
        if not self.policy.enabled:
            return list(offered)
        kept = []
        for item in offered:
            shown, passage = self._admitted(item.text, item.level)
            self._passages.append(msgspec.structs.replace(passage, blocked=0) if shown is None else passage)
            if shown is None:
                self._refuse(Line(item.kind, item.tokens, REFUSED, item.id, score=item.score), passage.level)
            elif shown == item.text:
                kept.append(msgspec.structs.replace(item, level=passage.level))
            else:
                tokens = self._estimator.plain("user", shown)
                kept.append(msgspec.structs.replace(item, text=shown, tokens=tokens, level=passage.level))
        return kept

    def unquoted(self, said: Sequence[Said]) -> None:
        """Note earlier messages that would have been quoted, had they been `quotable`."""
        for one in said:
            source, tokens = one.entry_id or str(one.seq), self._estimator.plain("user", one.text)
            line = Line("retrieval", tokens, REFUSED, source, one.seq)
            self._refuse(line, self._admitted(one.text)[1].level)

    @property
    def refused(self) -> tuple[Line, ...]:
        """What was left out as a whole: its kind, id and level, and no text."""
        return tuple(self._refused.values())

    def _refuse(self, line: Line, level: str) -> None:
        self._refused[line.kind, line.source or ""] = msgspec.structs.replace(line, role="user", level=level)

    def outgoing(self, messages: Sequence[PlannedMessage]) -> tuple[PlannedMessage, ...]:
        """The messages of a call as they leave: walked once more as a payload, whatever was done to them before.

        A content that left the last time, and of which nothing had to be withheld then, is not walked again.
        """
        if not self.policy.enabled:
            return tuple(messages)
        passed: dict[int, Passed] = {}
        sent = tuple([self._outgoing(message, passed) for message in messages])
        self._checked.passed = passed
        return sent

    def _message(self, message: Message, entry: int | None) -> tuple[Message, Passage]:
        known = self._checked.message(entry, message) if entry is not None else None
        if known is not None:
            return known
        try:
            shown, passage = self._guard.message(message)
        except Exception:  # noqa: BLE001 - whatever breaks in checking, what was not checked must not leave
            return rules.withhold(message), Passage("local-only", changed=True, blocked=len(message.blocks))
        if entry is not None:
            self._checked.note(entry, message, shown, passage)
        return shown, passage

    def _admitted(self, text: str, level: str | None = None) -> tuple[str | None, Passage]:
        try:
            return self._guard.admit(text, level)
        except Exception:  # noqa: BLE001
            return None, Passage("local-only", changed=True, blocked=1)

    def _outgoing(self, message: PlannedMessage, passed: dict[int, Passed]) -> PlannedMessage:
        content = message.content
        try:
            known = self._checked.passing(content)
            if known is None and all(map(self._settled, content)):
                known = copied(content)
            if known is None:
                shown, passage = sanitise({"content": content}, self._guard)
                known = None if passage.changed else copied(content)
            if known is not None:
                passed[id(content)] = known
                return message
        except Exception:  # noqa: BLE001
            shown, passage = {}, Passage("local-only", changed=True, blocked=1)
        self._late += passage.blocked + passage.secrets
        left = shown.get("content")
        if not isinstance(left, list):
            left = [{"type": "text", "text": rules.UNCHECKED}]
        return msgspec.structs.replace(message, content=left)

    def _settled(self, block: Mapping[str, Any]) -> bool:
        """Whether a block would come out of `sanitise` as it is, as all text in it was found clean before."""
        return all(
            self._guard.clean(value) or (key in STRUCTURE and not classify.marked(value))
            if isinstance(value, str)
            else value is None or isinstance(value, bool)
            for key, value in block.items()
        )

    def report(self) -> PrivacyReport:
        """Counts for the manifest."""
        if not self.policy.enabled:
            return PrivacyReport()
        total = rules.combine(self._passages)
        target = self._guard.target
        return PrivacyReport(
            stage="context-and-provider",
            provider=target.provider,
            local=target.local,
            allowed=tuple(sorted(target.allowed)),
            inspected=len(self._passages),
            levels=dict(sorted(Counter(passage.level for passage in self._passages).items())),
            blocked=total.blocked,
            excluded=len(self._refused),
            secrets=total.secrets,
            late=self._late,
        )
