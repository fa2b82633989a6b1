"""What a name that nothing in a project answers to may stand for: files of that base name, declarations called alike.

Asked only when a look-up found nothing, so it may go through all names once. Neighbours: `expand` tells slips apart.
"""

from collections.abc import Iterable, Iterator

from backstory.retrieve.expand import SHORTEST_OF_TWO_SLIPS, distance, slips
from backstory.store.project import lookup
from backstory.store.project.database import ProjectStore

MOST = 6
SHORTEST = 3
SCANNED = 4_000


def near(store: ProjectStore, name: str) -> tuple[str, ...]:
    """At most six paths and names: files in any folder, then names but for their style, a slip, what is around them.

    Names two slips away come only where nothing else does.
    """
    spelled = name.rpartition("/")[2].strip("()")
    paths = [path for _, path in lookup.by_name(store, spelled)]
    simple = spelled.replace("::", ".").replace("#", ".").rpartition(".")[2].lower()
    if not paths and "." in spelled:
        paths = _misspelt(store, spelled)
    if len(simple) < SHORTEST or "/" in name:
        return tuple(paths[:MOST])
    found = list(dict.fromkeys([*paths, *_alike(store, simple)]))
    return tuple((found or list(_two_slips(store, simple)))[:MOST])


def _misspelt(store: ProjectStore, name: str) -> list[str]:
    """The files whose base name is at most two slips away."""
    close = _within(lookup.files_with(store, f"{name[0]}%", SCANNED), name)
    return [path for one in _best(close, name) for _, path in lookup.by_name(store, one)]


def _alike(store: ProjectStore, simple: str) -> Iterator[str]:
    yield from _best(lookup.written_as(store, simple), simple)
    yield from _best(lookup.called(store, slips(simple)), simple)
    yield from _best(lookup.names_with(store, f"%{simple}%", SCANNED), simple)


def _two_slips(store: ProjectStore, simple: str) -> Iterator[str]:
    if len(simple) >= SHORTEST_OF_TWO_SLIPS:
        yield from _best(_within(lookup.names_with(store, f"{simple[0]}%", SCANNED), simple), simple)


def _within(names: Iterable[str], name: str) -> list[str]:
    return [one for one in names if abs(len(one) - len(name)) <= 2 and distance(one.lower(), name.lower()) <= 2]


def _best(names: Iterable[str], simple: str) -> list[str]:
    return sorted(names, key=lambda one: (abs(len(one) - len(simple)), one.lower(), one))
