"""What `context_persistence` answers: a text for the model, and details that hold no kept text, key, path or reason."""

from collections.abc import Sequence
from typing import Any

import msgspec

from backstory.engine.persistence.parameters import FORMS
from backstory.records.host import Say

SCHEMA = "ds4-context-persistence-result-v1"
MOST_TEXT, MOST_DETAILS, MOST_ITEMS = 96 * 1024, 64 * 1024, 100
_UNAVAILABLE = frozenset((
    "runtime-unavailable",
    "memory-unavailable",
    "action-unavailable",
    "confirmation-required",
    "cross-session-disabled",
    "boundary-failure",
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
    details = {**_head(action, outcome), "errorCode": None if code == "declined" else code}
    return Say(f"{outcome}: {text}", "error", {key: one for key, one in details.items() if one is not None})


def listed(
    action: str, lines: Sequence[str], items: Sequence[dict[str, Any]], *, truncated: bool, incomplete: bool = False
) -> Say:
    """The answer to a read: a line an item, and the same items without any text of theirs."""
    more = " More match; ask more narrowly." if truncated else ""
    note = " Not everything could be looked at." if incomplete else ""
    text = "\n".join([f"ok: {len(items)} found.{more}{note}", *lines])
    details = {**_head(action, "ok"), "count": len(items), "truncated": truncated, "incomplete": incomplete}
    return _bounded(action, Say(text, "info", {**details, "items": list(items)}))


def wrote(action: str, text: str, *, duplicate: bool = False, outcome: str = "committed", **facts: Any) -> Say:
    """The answer to a write that is in force."""
    return Say(f"{outcome}: {text}", "info", {**_head(action, outcome), **facts, "duplicate": duplicate})


def _head(action: Any, outcome: str) -> dict[str, Any]:
    known = action if isinstance(action, str) and action in FORMS else None
    head = {"schema": SCHEMA, "action": known, "outcome": outcome}
    return {**head, "persistenceClass": FORMS[known].persistence} if known else head


def _bounded(action: str, say: Say) -> Say:
    large = len(say.text.encode("utf-8", "replace")) > MOST_TEXT or len(msgspec.json.encode(say.data)) > MOST_DETAILS
    if large or len(say.data["items"]) > MOST_ITEMS:
        return refused(action, "result-budget-exceeded", "The answer is too large; ask for fewer.")
    return say
