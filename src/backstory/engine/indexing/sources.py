"""Says for each agent where was looked, what was found, and what could not be read or is not supported yet."""

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

from backstory.engine.indexing import passed
from backstory.engine.indexing.index import left_out, problems, sync
from backstory.engine.indexing.places import added_places, default_places
from backstory.engine.open import Engine
from backstory.errors import FullDiskError, ReadOnlyDatabaseError, UnreadableSourceError
from backstory.records.sources import SourcePlace, SourceRow, SourcesReport, SourcesRequest
from backstory.sources import registry, unsupported
from backstory.sources.discover import Place
from backstory.store import browse, ledger
from backstory.store.browse import LogFile

NOT_YET = "found, not supported yet"


def sources(engine: Engine, _request: SourcesRequest) -> SourcesReport:
    """Every agent that is read, and those that are only recognised on disk."""
    try:
        report = sync(engine)
    except (FullDiskError, ReadOnlyDatabaseError) as error:
        report = left_out(engine, error)
    with engine.history.read():
        stored = browse.files(engine.history)
        damage = browse.damage(engine.history)
    kinds = dict.fromkeys(default_places(engine), "default")
    added: list[Place] = []
    with suppress(UnreadableSourceError):  # which the pass has told already
        added = [place for place in added_places(engine) if place not in kinds]
    kinds |= dict.fromkeys(added, "added")
    rows = []
    for location in registry.locations():
        name = location.name
        own = [one for one in stored if one.source == name]
        places = tuple(_place(path, kind, own) for path, kind in _concerning(kinds, name, own).items())
        row = SourceRow(
            name=name, title=location.title, supported=True, places=places, sessions=len(own),
            entries=sum(one.entries for one in own), malformed=sum(one.malformed for one in own),
            bytes=sum(one.bytes for one in own),
        )  # fmt: skip
        rows.append(row)
    every = (*rows, *_recognised(engine))
    return SourcesReport(every, problems(report), tuple(_damaged(engine)), damage, *passed.over(engine, added))


def _damaged(engine: Engine) -> Iterable[str]:
    """Lines of the ledger that are no records: a place that was added, or a session that was forgotten, may be lost."""
    with suppress(UnreadableSourceError):
        for number, why in ledger.damaged(engine.home):
            yield f"{ledger.location(engine.home)}: line {number} is {why} and was skipped"


def _concerning(kinds: Mapping[Place, str], name: str, own: Sequence[LogFile]) -> dict[str, str]:
    """Paths and kinds of the places of an agent; a folder that was added for several agents is one place of each."""
    theirs = {(one.place_source, one.place_path) for one in own}
    found: dict[str, str] = {}
    for place, kind in kinds.items():
        if place.source == name or (place.source, place.path) in theirs:
            found.setdefault(place.path, kind)
    return found


def _place(path: str, kind: str, own: Iterable[LogFile]) -> SourcePlace:
    here = [one for one in own if one.place_path == path]
    return SourcePlace(path, kind, os.path.exists(path), len(here), sum(one.bytes for one in here))


def _recognised(engine: Engine) -> Iterable[SourceRow]:
    found: dict[tuple[str, str], list[SourcePlace]] = {}
    for one in unsupported.discover(engine.user_home, engine.env):
        places = found.setdefault((one.name, one.title), [])
        places.append(SourcePlace(str(one.path), "default", exists=True, sessions=0, bytes=0))
    for (name, title), places in found.items():
        yield SourceRow(
            name, title, supported=False, places=tuple(places), sessions=0, entries=0, malformed=0, bytes=0,
            note=NOT_YET,
        )  # fmt: skip
