"""Folds mutation records into memories and pins: the same records give the same state, in whatever order they come.

Two passes in one global order: the first makes records, the second changes their status. Afterwards of several active
memories with one key the first stays. Mutations of sessions that cannot be read or are excluded do not touch project
state; session state always follows its own file. Shapes are checked by `mutations`.
"""

from collections.abc import Iterable

import msgspec

from backstory.plan.memory.mutations import CheckedMutation, Refused, read
from backstory.records.memory import MEMORY_TYPE, PIN_TYPE, Fold, Kept, Mutation, Refusal


def fold(mutations: Iterable[Mutation]) -> Fold:
    """The state after all mutations."""
    refused: list[Refusal] = []
    changes = _ordered(mutations, refused)
    memories = _Pass(MEMORY_TYPE, changes, refused).run()
    pins = _Pass(PIN_TYPE, changes, refused).run()
    _resolve(memories)
    return Fold(tuple(memories.values()), tuple(pins.values()), tuple(refused))


def _ordered(mutations: Iterable[Mutation], refused: list[Refusal]) -> list[CheckedMutation]:
    """Checked changes in their global order; of a repeated mutation id in one session only the first in file order."""
    seen: set[tuple[str, str]] = set()
    found: list[CheckedMutation] = []
    for mutation in sorted(mutations, key=lambda one: (one.session, one.order, one.key)):
        try:
            change = read(mutation)
        except Refused as why:
            refused.append(Refusal(mutation.key, str(why)))
            continue
        if (mutation.session, change.id) in seen:
            refused.append(Refusal(mutation.key, f"the mutation {change.id} is there already"))
            continue
        seen.add((mutation.session, change.id))
        found.append(change)
    found.sort(key=lambda one: (one.created, one.source.session, one.source.order, one.id, one.source.key))
    return found


class _Pass:
    """Both passes over the changes of one type."""

    def __init__(self, type_: str, changes: Iterable[CheckedMutation], refused: list[Refusal]) -> None:
        self._changes = [change for change in changes if change.source.type == type_]
        self._kind = "memory" if type_ == MEMORY_TYPE else "pin"
        self._refused = refused
        self.kept: dict[str, Kept] = {}

    def run(self) -> dict[str, Kept]:
        for change in self._changes:
            if change.item is not None and not self._closed(change, str(change.item["scope"])):
                self._create(change)
        for change in self._changes:
            if change.operation == "status":
                self._set(change)
            elif change.operation == "supersede":
                self._supersede(change)
        return self.kept

    def _create(self, change: CheckedMutation) -> None:
        made = _record(self._kind, change)
        if made.scope == "project" and (made.project is None or made.project != change.source.project):
            self._refuse(change, "its project is not that of its session")
            return
        known = self.kept.get(made.id)
        if known is None:
            self.kept[made.id] = made
        elif (known.text, known.scope) != (made.text, made.scope):
            self._refuse(change, f"another {self._kind} is called {made.id}")

    def _set(self, change: CheckedMutation) -> None:
        target = self.kept.get(change.target or "")
        if target is None:
            self._refuse(change, "its target is not known")
        elif not self._closed(change, target.scope):
            if not _owned(target, change.source):
                self._refuse(change, "its target belongs to another session or project")
                return
            self.kept[target.id] = msgspec.structs.replace(
                target, status=change.status, updated=int(change.created), reason=change.reason, superseded_by=None
            )

    def _supersede(self, change: CheckedMutation) -> None:
        previous = self.kept.get(change.target or "")
        made = self.kept.get(str((change.item or {}).get("id")))
        scope = str((change.item or {}).get("scope"))
        if self._closed(change, scope):
            return
        if previous is None or made is None:
            self._refuse(change, "what it supersedes, or its replacement, is not known")
        elif made.mutation != change.source.entry or made.session != change.source.session:
            self._refuse(change, "its replacement was made elsewhere")
        elif previous.scope != made.scope or previous.id == made.id:
            self._refuse(change, "it changes the scope")
        elif not _owned(previous, change.source):
            self._refuse(change, "what it supersedes belongs to another session or project")
        else:
            self.kept[previous.id] = msgspec.structs.replace(
                previous,
                status="superseded",
                updated=int(change.created),
                reason=f"superseded by {made.id}",
                superseded_by=made.id,
            )
            self.kept[made.id] = msgspec.structs.replace(made, supersedes=previous.id)

    def _closed(self, change: CheckedMutation, scope: str) -> bool:
        """Whether a mutation of project state comes from a session that does not count."""
        return scope == "project" and not change.source.ready

    def _refuse(self, change: CheckedMutation, why: str) -> None:
        self._refused.append(Refusal(change.source.key, why))


def _record(kind: str, change: CheckedMutation) -> Kept:
    item, source = change.item or {}, change.source
    cited = (
        item.get("sourceEntryIds") if kind == "memory" else [item["sourceEntryId"]] if item.get("sourceEntryId") else []
    )
    return Kept(
        kind=kind,
        id=item["id"],
        scope=item["scope"],
        text=item["claim" if kind == "memory" else "content"],
        created=int(change.created if source.time is not None else item["createdAt"]),
        session=source.session,
        mutation=source.entry,
        key=item.get("key") if kind == "memory" else None,
        project=item.get("projectPath") if item["scope"] == "project" else None,
        leaf=item.get("branchLeafId") if item["scope"] == "branch" else None,
        branch=source.parent,
        file=source.file,
        level=item.get("classification") or "normal",
        sources=tuple(dict.fromkeys(filter(None, (source.entry, *(cited or ()))))),
        source_file=item.get("sourceFile"),
    )


def _owned(kept: Kept, source: Mutation) -> bool:
    return kept.project == source.project if kept.scope == "project" else kept.session == source.session


def _resolve(memories: dict[str, Kept]) -> None:
    """Of active memories with one key in one place the first stays active; both sides name each other."""
    first: dict[tuple[str, str | None, str | None, str], str] = {}
    for id_, item in list(memories.items()):
        if item.status != "active" or item.key is None:
            continue
        place = (item.scope, item.session if item.scope == "session" else None, item.project, item.key)
        winner = first.setdefault(place, id_)
        if winner != id_:
            kept = memories[winner]
            memories[winner] = msgspec.structs.replace(kept, contradicts=(*kept.contradicts, id_))
            memories[id_] = msgspec.structs.replace(
                item, status="invalid", reason=f"conflicts with {winner}", contradicts=(*item.contradicts, winner)
            )
