"""Enforces a person's privacy policy on the bytes a provider would get. Counts only; fails closed."""

from backstory.engine import settings
from backstory.engine.open import Engine
from backstory.privacy import payload as payloads
from backstory.privacy import policy as rules
from backstory.records.protocol import PayloadAnswer, PayloadRequest


def checked(engine: Engine, request: PayloadRequest) -> PayloadAnswer:
    """What to send instead of a payload, and counts of what was withheld; nothing when it may go as it is."""
    call = request.call
    policy = settings.effective(engine, call.cwd, trusted=call.trusted).config.privacy
    provider = call.model.provider if call.model is not None else ""
    guard = rules.Guard(policy, rules.destination(policy, provider))
    shown, passage = payloads.sanitise(request.payload, guard)
    changed = shown if shown != request.payload else None
    return PayloadAnswer(changed, passage.blocked, passage.secrets, passage.inspected)
