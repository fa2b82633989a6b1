"""What a name means: of a session its id, a beginning of it, `source:id` or its file; of an entry its id or number.

A whole id wins over any other reading. What a session and its own subagents begin with names the session. A prefix may
end in the ellipsis of a list. Who asks brings the tables to look in: `engine.naming` those of stored sessions,
`engine.query.view` those of live ones too, `engine.transcript` those of entries in memory.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from backstory.config.paths import as_path
from backstory.errors import BY_FILE, AmbiguousSessionError, InvalidTextError, UnknownSessionError
from backstory.records.base import Record
from backstory.sources import registry
from backstory.store import copies
from backstory.store.history import History
from backstory.text.charts import ELLIPSIS

LONGEST_NUMBER = 19
T = TypeVar("T")


class Candidate(Record, Generic[T], frozen=True):
    """One file of a session that a name may mean, by the key of its row; `row` is what the asker knows of it."""

    key: int
    source: str
    id: str
    path: str
    missing: bool
    row: T


Lookup = Callable[[str, str | None], Sequence[Candidate[T]]]
"""Candidates by a beginning of their ids, or by their file, in a source or in any; the best come first."""


def session(name: str, named: Lookup[T], at: Lookup[T]) -> list[Candidate[T]]:
    """The files of the one session that a name means, the best first.

    A whole id comes first, however it is spelled: so no other reading of a name hides a session.

    Raises:
        UnknownSessionError, AmbiguousSessionError: none is called that, or several are.
    """
    try:
        found = next((some for some in _looked(name, named, at) if some), ())
    except InvalidTextError as error:
        raise UnknownSessionError(name) from error
    kin = registry.without_subagents({f"{one.source}:{one.id}" for one in found})
    if not kin:
        raise UnknownSessionError(name)
    if len(kin) > 1:
        raise AmbiguousSessionError(name, kin)
    return [one for one in found if one.id == found[0].id]


def _looked(name: object, named: Lookup[T], at: Lookup[T]) -> Iterator[Sequence[Candidate[T]]]:
    """What each reading of a name finds, the plainest first: whole ids, then beginnings of them, then files."""
    if not isinstance(name, str):
        return
    readings = [(None, name), registry.split(name), registry.split(name.removesuffix(ELLIPSIS))]
    begun = []
    for source, id_ in dict.fromkeys(one for one in readings if one[1]):
        begun.append((id_, source, named(id_, source)))
        yield [one for one in begun[-1][2] if one.id == id_]
    yield from (candidates for _, _, candidates in begun)
    yield from (at(as_path(id_), source) for id_, source, _ in begun)


def fullest(history: History, name: str, files: Sequence[Candidate[T]]) -> T:
    """The row of the first file of one session, if it has all that the others have; those that are gone come last.

    Raises:
        AmbiguousSessionError: files contradict each other.
    """
    first, *rest = files
    others = [one for one in rest if one.missing == first.missing]
    if copies.contradict(history, first.key, (one.key for one in others)):
        raise AmbiguousSessionError(name, sorted(one.path for one in (first, *others)), advice=BY_FILE)
    return first.row


def entry(name: str, by_id: Mapping[str, T], by_number: Callable[[int], T | None]) -> T | None:
    """The entry of a native id or, failing that, of a sequence number; None when there is none.

    A number may stand behind `#`, as `show` prints it, and behind several where an id begins so: as many as it takes.
    """
    found = by_id.get(name)
    number = name.lstrip("#")
    if found is None and number.isdecimal() and len(number) <= LONGEST_NUMBER:
        return by_number(int(number))
    return found
