"""What a name means: of a session its id, `source:id` or its file; of an entry its id or number; else a beginning.

A whole id wins over any other reading, but that `#12` is always the entry of that number. What a session and its own
subagents begin with names the session. A beginning may end in the ellipsis of a list. Who asks brings the tables to
look in: `engine.naming` those of stored sessions, `engine.query.view` those of live ones too, `engine.transcript` those
of entries in memory.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Generic, TypeVar

from backstory.config.paths import as_path
from backstory.errors import (
    BY_FILE,
    MOST_NAMED,
    AmbiguousNameError,
    AmbiguousSessionError,
    InvalidTextError,
    UnknownSessionError,
)
from backstory.records.base import Record
from backstory.sources import registry
from backstory.store import copies
from backstory.store.history import History
from backstory.text.charts import ELLIPSIS

LONGEST_NUMBER = 19
# So many ids tell whether a beginning is unique, and what to list where it is not.
MOST_BEGUN = MOST_NAMED + 1
T = TypeVar("T")


class SessionFile(Record, Generic[T], frozen=True):
    """One file of a session that a name may mean, by the key of its row; `row` is what the asker knows of it."""

    key: int
    source: str
    id: str
    path: str
    missing: bool
    row: T


Lookup = Callable[[str, str | None], Sequence[SessionFile[T]]]
"""Candidates by a beginning of their ids, or by their file, in a source or in any; the best come first."""


def session(name: str, named: Lookup[T], at: Lookup[T]) -> list[SessionFile[T]]:
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


def _looked(name: object, named: Lookup[T], at: Lookup[T]) -> Iterator[Sequence[SessionFile[T]]]:
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


def fullest(history: History, name: str, files: Sequence[SessionFile[T]]) -> T:
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
    """The entry of a whole native id or, failing that, of a sequence number; None when there is none.

    Behind `#` a number is the number even where an id looks like it, so every entry has a name of its own.
    """
    digits = name.removeprefix("#")
    numbered = by_number(int(digits)) if digits.isdecimal() and len(digits) <= LONGEST_NUMBER else None
    return numbered if numbered is not None and digits != name else by_id.get(name, numbered)


def begun_entry(name: str, by_id: Mapping[str, T], by_number: Callable[[int], T | None]) -> T | None:
    """The same, failing that the entry whose id alone begins so.

    Raises:
        AmbiguousNameError: several ids begin so.
    """
    found = entry(name, by_id, by_number)
    if found is not None:
        return found
    id_ = begun(name, "entry", lambda beginning: [id_ for id_ in by_id if id_.startswith(beginning)])
    return None if id_ is None else by_id[id_]


def begun(name: str, noun: str, lookup: Callable[[str], Iterable[str]]) -> str | None:
    """The id that a name is or, failing that, alone begins; None when there is none.

    `lookup` gives the ids that begin so, or the first `MOST_BEGUN` of them in order; `noun` says of what they are.

    Raises:
        AmbiguousNameError: several begin so.
    """
    beginning = name.removesuffix(ELLIPSIS)
    found = sorted(set(lookup(beginning))) if beginning else []
    if len(found) > 1 and beginning not in found:
        raise AmbiguousNameError(name, noun, found)
    return found[0] if found else None
