"""Whether the index still says what the logs say: every file is read whole again and each record's hash compared."""

import msgspec

from backstory.engine.indexing.index import forgotten
from backstory.engine.open import Engine
from backstory.errors import UnknownSourceError, UnreadableSourceError
from backstory.index.extract import known
from backstory.index.look import Report, Seen
from backstory.index.sync import Sync
from backstory.index.version import VERSION
from backstory.records.problem import Problem
from backstory.records.session import Entry, Facts
from backstory.records.upkeep import Difference, VerifyReport, VerifyRequest
from backstory.sources import registry
from backstory.sources.discover import Candidate, Place
from backstory.sources.prints import stamp
from backstory.sources.reading import Reading
from backstory.store import browse, entries, sessions
from backstory.store.browse import LogFile


def verify(engine: Engine, request: VerifyRequest) -> VerifyReport:
    """Reads every file whole, compares each record's hash, and with `repair` reads the differing sessions again."""
    differences: list[Difference] = []
    problems: list[Problem] = []
    repaired = total = count = 0
    with engine.history.read():
        stored = browse.files(engine.history)
    files = [one for one in stored if not one.missing]
    missing = len(stored) - len(files)
    whole = sum(one.bytes for one in files)
    for done, one in enumerate(files):
        engine.progress(done, len(files), total, whole)
        try:
            found = _difference(engine, one.source, one.path)
        except (UnreadableSourceError, UnknownSourceError) as error:
            # Whether a pass has already marked it as missing makes no difference to who asks.
            gone = isinstance(error.__cause__, (FileNotFoundError, NotADirectoryError))
            missing += gone
            problems += () if gone else (Problem(one.path, error.reason),)
            continue
        count += 1
        total += one.bytes
        if found:
            differences.append(found)
            repaired += request.repair and _repair(engine, one)
    with engine.history.read():
        damage = browse.damage(engine.history)
    return VerifyReport(count, total, tuple(differences), repaired, tuple(problems), damage, missing)


def _difference(engine: Engine, source: str, path: str) -> Difference | None:
    with engine.history.read():
        stored = sessions.by_path(engine.history, path)
        kept = entries.hashes(engine.history, stored.key) if stored else {}
    if stored is None:
        return None
    reading = Reading(registry.load(source), path)
    reach = stored.checkpoint.offset
    for item in reading:
        if not isinstance(item, Entry) or (item.offset >= reach and item.seq not in kept):
            continue
        old = kept.pop(item.seq, None)
        if old is None or old.hash != item.hash:
            reason = "a record that is not indexed" if old is None else "another record than the one indexed"
            return Difference(source, stored.facts.id, path, item.seq, reason)
    if kept:
        return Difference(source, stored.facts.id, path, min(kept), "an indexed record is gone")
    if reading.checkpoint.stamp == stored.checkpoint.stamp and not _same(reading, stored):
        return Difference(source, stored.facts.id, path, 0, "what the log says of the session as a whole")
    return None


def _same(reading: Reading, stored: sessions.StoredSession) -> bool:
    """Whether records that are no entries, such as headers, still say what they said."""
    now = msgspec.json.decode(msgspec.json.encode(known(reading.facts)), type=Facts)
    return now == stored.facts and reading.malformed == stored.malformed


def _repair(engine: Engine, one: LogFile) -> bool:
    """Reads a file as a pass does that finds it changed: by now it may hold what another agent wrote, or no session."""
    with engine.history.write("repair session"):
        stored = sessions.by_path(engine.history, one.path)
        if stored is None:
            return False
        sessions.distrust(engine.history, stored.key)
    found = Candidate(one.path, stamp(one.path))
    before = sessions.SeenFile(found.stamp, one.source, VERSION)
    seen = Seen(Report(), [(found, Place(one.place_source, one.place_path), before)])
    sources = [registry.load(name) for name in registry.names()]
    report = Sync(engine.history, sources, forgotten=lambda: forgotten(engine)).run(seen)
    return not report.problems and bool(report.sources or report.missing)
