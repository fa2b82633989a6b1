"""Follows where sessions and entries come from: forks and subagents, replacements, and what was made from what.

Works on ids and numbers alone; loading them is for others. No walk is recursive, so depth has no limit.
"""

from collections.abc import Iterable, Mapping, Sequence

from backstory.errors import InvalidLineageError
from backstory.records.base import Record


class Descendant(Record, frozen=True):
    """A session below the traced one; `depth` is 1 for its children."""

    id: str
    parent: str
    depth: int


class Lineage(Record, frozen=True):
    """The family of one session.

    `ancestors` go from near to far, `descendants` in the order of a tree read from the top, children in the order
    given. `missing` is the parent that nobody knows; without it the lineage is complete and `root` its oldest session.
    """

    id: str
    ancestors: tuple[str, ...]
    descendants: tuple[Descendant, ...]
    root: str | None
    missing: str | None

    @property
    def complete(self) -> bool:
        """Whether every ancestor is known."""
        return self.missing is None


class EntryOrigin(Record, frozen=True):
    """Where one entry comes from and what became of it, as positions or sequence numbers.

    `chain` leads from what replaced it to what the model sees now.
    """

    replaced_by: int | None
    chain: tuple[int, ...]
    replaced: tuple[int, ...]
    sources: tuple[int, ...]
    derived: tuple[int, ...]


def trace(session: str, sessions: Iterable[tuple[str, str | None]]) -> Lineage:
    """The lineage of a session among all (id, parent id) pairs, in time linear in their number.

    Raises `InvalidLineageError` when the session is its own ancestor or a cycle is above it.
    """
    parents: dict[str, str | None] = {}
    children: dict[str, list[str]] = {}
    for id_, parent in sessions:
        parents[id_] = parent
        if parent is not None:
            children.setdefault(parent, []).append(id_)
    above, missing = _ancestors(session, parents)
    root = None if missing else (above[-1] if above else session)
    return Lineage(session, tuple(above), tuple(_descendants(session, children)), root, missing)


def origin(entry: int, replaced: Mapping[int, int], sources: Mapping[int, Sequence[int]]) -> EntryOrigin:
    """The lineage of an entry, given what replaced each entry and from which earlier entries each was made."""
    chain: dict[int, None] = {}
    by = replaced.get(entry)
    while by is not None and by not in chain:
        chain[by] = None
        by = replaced.get(by)
    return EntryOrigin(
        replaced_by=replaced.get(entry),
        chain=tuple(chain),
        replaced=tuple(sorted(at for at, by in replaced.items() if by == entry)),
        sources=tuple(sources.get(entry, ())),
        derived=tuple(sorted(at for at, made_from in sources.items() if entry in made_from)),
    )


def _ancestors(session: str, parents: Mapping[str, str | None]) -> tuple[list[str], str | None]:
    found: list[str] = []
    seen = {session}
    parent = parents.get(session)
    while parent is not None:
        if parent in seen:
            raise InvalidLineageError(f"session {parent} is its own ancestor")
        if parent not in parents:
            return found, parent
        found.append(parent)
        seen.add(parent)
        parent = parents[parent]
    return found, None


def _descendants(session: str, children: Mapping[str, Sequence[str]]) -> list[Descendant]:
    found = []
    seen = {session}
    waiting = [Descendant(id_, session, 1) for id_ in reversed(children.get(session, ()))]
    while waiting:
        kin = waiting.pop()
        if kin.id in seen:
            continue
        seen.add(kin.id)
        found.append(kin)
        waiting += [Descendant(id_, kin.id, kin.depth + 1) for id_ in reversed(children.get(kin.id, ()))]
    return found
