"""One model call while it is planned: all that it depends on, and what has been gathered for it so far."""

import msgspec

from backstory.engine.artifacts import Condensed
from backstory.engine.context import Context
from backstory.engine.guarding import Gate
from backstory.engine.open import Engine
from backstory.plan.working import WorkingSet
from backstory.records.budget import Budget, Calibration, Profile
from backstory.records.manifest import SnippetRef
from backstory.records.message import Message, Text
from backstory.records.plan import Supplement
from backstory.records.planning import PlanRequest
from backstory.text.tokens import CHARS


class Call(msgspec.Struct):
    """`supplements` and what follows them grow while the call is planned; the rest stays as it is."""

    engine: Engine
    request: PlanRequest
    given: Context
    gate: Gate
    known: Profile
    limits: Budget
    calibration: Calibration
    supplements: list[Supplement] = msgspec.field(default_factory=list)
    snippets: tuple[SnippetRef, ...] = ()
    project: str | None = None
    warnings: list[str] = msgspec.field(default_factory=list)
    working: WorkingSet | None = None
    condensed: list[Condensed] = msgspec.field(default_factory=list)

    def requests(self) -> tuple[str, str]:
        """The texts of the newest request and of the one before it."""
        pairs = zip(self.given.items, self.given.messages, strict=True)
        prompts = [_said(message) for item, message in pairs if item.kind == "prompt" and message is not None]
        return (prompts[-1] if prompts else "", prompts[-2] if len(prompts) > 1 else "")


def cost(text: str) -> int:
    """Tokens of a synthetic message with this text."""
    return CHARS.plain("user", text)


def _said(message: Message) -> str:
    return "\n".join(block.text for block in message.blocks if isinstance(block, Text))
