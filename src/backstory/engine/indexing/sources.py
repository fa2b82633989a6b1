"""Says for each agent where was looked, what was found, and what could not be read or is not supported yet."""

import os
from collections.abc import Iterable
from contextlib import suppress

from backstory.engine.indexing import passed
from backstory.engine.indexing.index import left_out, problems, sync
from backstory.engine.indexing.places import added_places, default_places
from backstory.engine.open import Engine
from backstory.errors import ReadOnlyDatabaseError, UnreadableSourceError
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
    except ReadOnlyDatabaseError as error:
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
        places = tuple(_place(place, kind, own) for place, kind in kinds.items() if _concerns(place, name, own))
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


def _concerns(place: Place, name: str, own: Iterable[LogFile]) -> bool:
    return place.source == name or any(_lies(one, place) for one in own)


def _place(place: Place, kind: str, own: Iterable[LogFile]) -> SourcePlace:
    here = [one for one in own if _lies(one, place)]
    return SourcePlace(place.path, kind, os.path.exists(place.path), len(here), sum(one.bytes for one in here))


def _lies(file: LogFile, place: Place) -> bool:
    return (file.place_source, file.place_path) == (place.source, place.path)


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
