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


def change_places(engine: Engine, add: Sequence[str], drop: Sequence[str]) -> list[Place]:
    """Takes back the places given as PATH or AGENT=PATH, remembers those given as AGENT=PATH, and gives the latter.

    What was indexed of a place stays. Where one makes no sense, nothing is changed.

    Raises:
        UsageError: not of that form, nothing is found at the path, or no such place was added.
        UnknownSourceError: no such source.
    """
    gone = dict.fromkeys(place for text in drop for place in _added(engine, text))
    given = [_place(text) for text in add]
    for place in gone:
        ledger.append(engine.home, {**_record(engine, place), "dropped": True})
    for place in given:
        remember_place(engine, place)
    return given


def _place(text: str) -> Place:
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
    return Place(source, place)


def _added(engine: Engine, text: str) -> list[Place]:
    agent, _, rest = text.partition("=")
    source, path = (agent, rest) if agent in registry.names() and rest else (None, text)
    places = [one for one in _remembered(engine) if one.path in {path, absolute(path)} and source in {None, one.source}]
    if not places:
        raise UsageError(f"--drop-root {text}: no such place was added", advice="backstory sources lists them")
    return places


def remember_place(engine: Engine, place: Place) -> None:
    """Adds a place to those that are looked at from now on, unless it is one already."""
    if place not in _remembered(engine):
        ledger.append(engine.home, _record(engine, place))


def _record(engine: Engine, place: Place) -> dict[str, Any]:
    made = {"type": ROOT, "id": engine.new_id(), "at": engine.now()}
    return {**made, "source": place.source, "path": place.path}
