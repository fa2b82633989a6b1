"""What a name that nothing in a project answers to may stand for: files of that base name, declarations called alike.

Asked only when a look-up found nothing, so it may go through all names once. Neighbours: `expand` tells slips apart.
"""

from collections.abc import Iterable, Iterator

from backstory.retrieve.expand import SHORTEST_OF_TWO_SLIPS, distance, slips
from backstory.store.project_search import ProjectSearch

MOST = 6
SHORTEST = 3
SCANNED = 4_000


def near(search: ProjectSearch, name: str) -> tuple[str, ...]:
    """At most six paths and names: files in any folder, then names but for their style, a slip, what is around them.

    Names two slips away come only where nothing else does.
    """
    spelled = name.rpartition("/")[2].strip("()")
    paths = [path for _, path in search.by_name(spelled)]
    simple = spelled.replace("::", ".").replace("#", ".").rpartition(".")[2].lower()
    if len(simple) < SHORTEST:
        return tuple(paths[:MOST])
    found = list(dict.fromkeys([*paths, *_alike(search, simple)]))
    return tuple((found or list(_two_slips(search, simple)))[:MOST])


def _alike(search: ProjectSearch, simple: str) -> Iterator[str]:
    yield from _best(search.written_as(simple), simple)
    yield from _best(search.called(slips(simple)), simple)
    yield from _best(search.names_with(f"%{simple}%", SCANNED), simple)


def _two_slips(search: ProjectSearch, simple: str) -> Iterator[str]:
    if len(simple) >= SHORTEST_OF_TWO_SLIPS:
        begun = search.names_with(f"{simple[0]}%", SCANNED)
        close = [one for one in begun if abs(len(one) - len(simple)) <= 2 and distance(one.lower(), simple) <= 2]
        yield from _best(close, simple)


def _best(names: Iterable[str], simple: str) -> list[str]:
    return sorted(names, key=lambda one: (abs(len(one) - len(simple)), one.lower(), one))
