"""Notes again in which place each session lies, once places were added or taken back.

A pass does so for what it reads; what did not change would stay in a place that is none any more, or that has another
name, and unmounting its place would not hide it.
"""

from collections.abc import Sequence

from backstory.index.look import under
from backstory.sources.discover import Place
from backstory.store import sessions
from backstory.store.history import History


def place_again(history: History, places: Sequence[Place]) -> None:
    """Puts each session into the first of some places that it lies in; one that lies in none stays where it is."""
    with history.read():
        moved = _moved(history, places)
    if not moved:
        return
    with history.write("place sessions"):
        for key, place in _moved(history, places):
            sessions.move(history, key, sessions.root(history, place.source, place.path))


def _moved(history: History, places: Sequence[Place]) -> list[tuple[int, Place]]:
    found = []
    for key, path, *now in sessions.places(history):
        place = next((one for one in places if under(path, [one.path])), None)
        if place and [place.source, place.path] != now:
            found.append((key, place))
    return found
