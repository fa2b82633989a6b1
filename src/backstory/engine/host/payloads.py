"""Enforces a person's privacy policy on the bytes a provider would get. Counts only; fails closed.

The counts become part of the manifest of the call, once that is kept.
"""

import msgspec

from backstory.engine import settings
from backstory.engine.open import Engine
from backstory.privacy import payload as payloads
from backstory.privacy import policy as rules
from backstory.records.protocol import PayloadAnswer, PayloadRequest
from backstory.store import manifests


def checked(engine: Engine, request: PayloadRequest) -> PayloadAnswer:
    """What to send instead of a payload, and counts of what was withheld; nothing when it may go as it is."""
    call = request.call
    policy = settings.effective(engine, call.cwd, trusted=call.trusted).config.privacy
    provider = call.model.provider if call.model is not None else ""
    guard = rules.Guard(policy, rules.destination(policy, provider))
    shown, passage = payloads.sanitise(request.payload, guard)
    changed = shown if shown != request.payload else None
    return PayloadAnswer(changed, passage.blocked, passage.secrets, passage.inspected)


def note(engine: Engine, request: PayloadRequest, answer: PayloadAnswer) -> None:
    """Add to the manifest of a call what checking its payload did; nothing of a session in memory is written.

    Raises:
        DatabaseError: it cannot be kept.
    """
    name = request.manifest or ""
    found = engine.unsaved.get(name)
    if found is None and not request.call.ephemeral:
        found = manifests.get(engine.history, name)
    if found is None or found.id != name:
        return
    before = found.privacy
    privacy = msgspec.structs.replace(
        before,
        payloads=before.payloads + 1,
        payload_blocked=before.payload_blocked + answer.blocked,
        payload_secrets=before.payload_secrets + answer.secrets,
    )
    made = msgspec.structs.replace(found, privacy=privacy)
    if not engine.unsaved.amend(made):
        manifests.amend(engine.history, made)
