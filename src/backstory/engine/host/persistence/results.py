"""What `context_persistence` answers: a text for the model, and details that hold no kept text, key, path or reason."""

from collections.abc import Sequence
from typing import Any

import msgspec

from backstory.engine.host.persistence.facts import Listed, Written
from backstory.engine.host.persistence.parameters import FORMS
from backstory.records.host import Say

SCHEMA = "ds4-context-persistence-result-v1"
COMMITTED = "committed"
MOST_TEXT, MOST_DETAILS, MOST_ITEMS = 96 * 1024, 64 * 1024, 100
_UNAVAILABLE = frozenset((
    "runtime-unavailable",
    "memory-unavailable",
    "action-unavailable",
    "confirmation-required",
    "cross-session-disabled",
    "result-budget-exceeded",
))  # fmt: skip
_OUTCOMES = {
    "aborted": "cancelled",
    "declined": "cancelled",
    "committed-projection-pending": "committed_projection_pending",
    "append-indeterminate": "indeterminate",
}


def refused(action: Any, code: str, text: str) -> Say:
    """The answer when nothing was done, or nobody knows whether it was."""
    outcome = _OUTCOMES.get(code, "unavailable" if code in _UNAVAILABLE else "rejected")
    if code == "declined":
        return Say(f"{outcome}: {text}", "error", _head(action, outcome))
    return Say(f"{outcome} ({code}): {text}", "error", {**_head(action, outcome), "errorCode": code})


def listed(
    action: str, lines: Sequence[str], items: Sequence[Listed], *, truncated: bool, incomplete: bool = False
) -> Say:
    """The answer to a read: a line an item, and the same items without any text of theirs."""
    more = " More match; ask more narrowly." if truncated else ""
    note = " Not everything could be looked at." if incomplete else ""
    text = "\n".join([f"ok: {len(items)} found.{more}{note}", *lines])
    details = {**_head(action, "ok"), "count": len(items), "truncated": truncated, "incomplete": incomplete}
    return _bounded(action, Say(text, "info", {**details, "items": msgspec.to_builtins(list(items))}))


def wrote(action: str, text: str, facts: Written, *, duplicate: bool = False) -> Say:
    """The answer to a write that is in force."""
    details = {**_head(action, COMMITTED), **msgspec.to_builtins(facts), "duplicate": duplicate}
    return Say(f"{COMMITTED}: {text}", "info", details)


def _head(action: Any, outcome: str) -> dict[str, Any]:
    head = {"schema": SCHEMA, "outcome": outcome}
    if not isinstance(action, str) or action not in FORMS:
        return head
    return {**head, "action": action, "persistenceClass": FORMS[action].persistence}


def _bounded(action: str, say: Say) -> Say:
    large = len(say.text.encode("utf-8", "replace")) > MOST_TEXT or len(msgspec.json.encode(say.data)) > MOST_DETAILS
    if large or len(say.data["items"]) > MOST_ITEMS:
        return refused(action, "result-budget-exceeded", "The answer is too large; ask for fewer.")
    return say
