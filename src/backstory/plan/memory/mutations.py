"""Reads the payload of a mutation record: its operation and item, or why it does not count.

The shapes are shared with other programs that read and write the same sessions, so nothing may be loosened: a payload
that fails a check is ignored with a warning, and keys nobody knows are tolerated. The fold is in `fold`.
"""

import math
from typing import Any

from backstory.records.base import Record
from backstory.records.memory import MEMORY_TYPE, PIN_TYPE, Mutation

SCHEMA = 1
LEVELS = frozenset(("normal", "internal", "sensitive", "local-only"))
_SCOPES = {MEMORY_TYPE: frozenset(("session", "project")), PIN_TYPE: frozenset(("session", "branch", "project"))}
_TEXT = {MEMORY_TYPE: "claim", PIN_TYPE: "content"}
_TARGET = {MEMORY_TYPE: "memoryId", PIN_TYPE: "pinId"}
_STATUS = {MEMORY_TYPE: frozenset(("invalid", "expired")), PIN_TYPE: frozenset(("deleted",))}
_OPTIONAL = {
    MEMORY_TYPE: ("projectPath", "key"),
    PIN_TYPE: ("projectPath", "branchLeafId", "sourceEntryId", "sourceFile"),
}


class CheckedMutation(Record, frozen=True):
    """A checked mutation: `item` for add and supersede, `target` for supersede and status."""

    source: Mutation
    id: str
    operation: str
    created: float
    item: dict[str, Any] | None = None
    target: str | None = None
    status: str | None = None
    reason: str | None = None


class Refused(Exception):  # noqa: N818 - a verdict, not a failure
    """Why a payload does not count."""


def read(mutation: Mutation) -> CheckedMutation:
    """The change that a mutation asks for. Raises `Refused` for a payload of another shape."""
    data = mutation.payload
    if mutation.type not in _SCOPES or not isinstance(data, dict):
        raise Refused("it is no mutation")
    if data.get("schemaVersion") != SCHEMA or isinstance(data.get("schemaVersion"), bool):
        raise Refused("its schema version is unknown")
    identity, created, operation = data.get("mutationId"), data.get("createdAt"), data.get("operation")
    if not isinstance(identity, str) or not identity:
        raise Refused("it has no mutation id")
    if not _finite(created):
        raise Refused("it has no time")
    when = float(data["createdAt"]) if mutation.time is None else float(mutation.time)
    if operation == "status":
        return _status(mutation, data, identity, when)
    if operation not in {"add", "supersede"}:
        raise Refused("its operation is unknown")
    item = data.get("item")
    _check_item(mutation.type, item)
    previous = data.get("previousId") if operation == "supersede" else None
    if operation == "supersede" and not isinstance(previous, str):
        raise Refused("it supersedes nothing")
    return CheckedMutation(mutation, identity, operation, when, item, previous)


def ties(change: CheckedMutation) -> frozenset[str]:
    """What a change has in common with every other change that its effect depends on.

    Folding all changes that are tied to each other, directly or through others, gives what folding everything gives
    for the items they name: they name the same item, have the same id in one session, or compete for one key.
    """
    kind = "memory" if change.source.type == MEMORY_TYPE else "pin"
    found = {f"id {change.source.session} {change.id}"}
    if change.target is not None:
        found.add(f"{kind} {change.target}")
    if change.item is not None:
        found.add(f"{kind} {change.item['id']}")
        if change.item.get("key") is not None and kind == "memory":
            scope = change.item["scope"]
            owner = change.source.session if scope == "session" else change.item.get("projectPath")
            found.add(f"key {scope} {owner} {change.item['key']}")
    return frozenset(found)


def _status(mutation: Mutation, data: dict[str, Any], identity: str, when: float) -> CheckedMutation:
    target, status, reason = data.get(_TARGET[mutation.type]), data.get("status"), data.get("reason")
    if not isinstance(target, str) or status not in _STATUS[mutation.type]:
        raise Refused("it names no target or an unknown status")
    if reason is not None and not isinstance(reason, str):
        raise Refused("its reason is no text")
    return CheckedMutation(mutation, identity, "status", when, None, target, status, reason)


def _check_item(type_: str, item: Any) -> None:
    if not isinstance(item, dict):
        raise Refused("it has no item")
    if not all(isinstance(item.get(name), str) for name in ("id", "scope", _TEXT[type_])):
        raise Refused("its item lacks an id, a scope or a text")
    if item["scope"] not in _SCOPES[type_]:
        raise Refused("its scope is unknown")
    if not _finite(item.get("createdAt")):
        raise Refused("its item has no time")
    if any(item.get(name) is not None and not isinstance(item[name], str) for name in _OPTIONAL[type_]):
        raise Refused("a field of its item is no text")
    level = item.get("classification")
    if level is not None and level not in LEVELS:
        raise Refused("its classification is unknown")
    sources = item.get("sourceEntryIds")
    if type_ == MEMORY_TYPE and not (isinstance(sources, list) and all(isinstance(one, str) for one in sources)):
        raise Refused("its sources are no list of ids")


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
