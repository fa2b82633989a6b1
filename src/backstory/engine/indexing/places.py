"""Which folders are looked into: the agents' default places, and those a person added, which the ledger remembers."""

import os
from collections.abc import Sequence
from typing import Any

from backstory.config.paths import absent, absolute, plain
from backstory.engine.open import Engine
from backstory.errors import UsageError
from backstory.sources import locations, registry
from backstory.sources.discover import Place
from backstory.store import ledger
from backstory.store.folder import which

ROOT = "root"


def default_places(engine: Engine) -> list[Place]:
    """Every agent's own places on this machine."""
    return [
        Place(location.name, plain(path))
        for location in registry.locations()
        for path in locations.folders(location, engine.user_home, engine.env)
    ]


def added_places(engine: Engine) -> list[Place]:
    """The places a person added, in the order of adding; a folder of several names by the one it had first."""
    added = _remembered(engine)
    folders = {one.path: which(one.path) or os.path.realpath(one.path) for one in added}
    gone = any(isinstance(folder, str) for folder in folders.values())
    names: dict[tuple[int, int] | str, str] = {}
    for path in [place.path for place in default_places(engine)] if added else ():
        # Where links lead is read for a folder that is not there, and only where another one is not either.
        if folder := which(path) or (os.path.realpath(path) if gone else None):
            names.setdefault(folder, path)
    return list(dict.fromkeys(Place(one.source, names.setdefault(folders[one.path], one.path)) for one in added))


def _remembered(engine: Engine) -> list[Place]:
    found: dict[Place, None] = {}
    for one in ledger.read(engine.home, ROOT):
        place = Place(str(one.get("source")), str(one.get("path")))
        if one.get("dropped") is True:
            found.pop(place, None)
        else:
            found.setdefault(place)
    return list(found)


def add_places(engine: Engine, given: Sequence[str]) -> list[Place]:
    """Remembers places given as AGENT=PATH, and gives them.

    Raises:
        UsageError: not of that form, or nothing is found at the path.
        UnknownSourceError: no such source.
    """
    places = []
    for text in given:
        source, equals, path = text.partition("=")
        if not equals or not path:
            raise UsageError(f"--root wants AGENT=PATH, not {text!r}")
        registry.load(source)
        place = absolute(path)
        reason = absent(place)
        if reason is None and not (os.path.isdir(place) or os.path.isfile(place)):
            reason = "is no folder and no file of records"
        if reason:
            raise UsageError(f"--root {text}: {place} {reason}")
        places.append(Place(source, place))
        remember_place(engine, places[-1])
    return places


def remember_place(engine: Engine, place: Place) -> None:
    """Adds a place to those that are looked at from now on, unless it is one already."""
    if place not in _remembered(engine):
        ledger.append(engine.home, _record(engine, place))


def drop_places(engine: Engine, given: Sequence[str]) -> None:
    """Looks no more at places given as PATH or AGENT=PATH; what was indexed of them stays.

    Raises:
        UsageError: no such place was added.
    """
    for text in given:
        agent, _, rest = text.partition("=")
        source, path = (agent, rest) if agent in registry.names() and rest else (None, text)
        places = [one for one in _remembered(engine) if one.path in {path, absolute(path)}]
        places = [one for one in places if source in {None, one.source}]
        if not places:
            raise UsageError(f"--drop-root {text}: no such place was added", advice="backstory sources lists them")
        for place in places:
            ledger.append(engine.home, {**_record(engine, place), "dropped": True})


def _record(engine: Engine, place: Place) -> dict[str, Any]:
    made = {"type": ROOT, "id": engine.new_id(), "at": engine.now()}
    return {**made, "source": place.source, "path": place.path}
