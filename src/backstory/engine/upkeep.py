"""Verifying, forgetting, and a read-only report on health."""

from collections.abc import Iterator

import msgspec

from backstory.engine import naming
from backstory.engine.index import BUDGET_MS, FORGET, sync
from backstory.engine.loading import load
from backstory.engine.open import Engine
from backstory.errors import UnreadableSourceError, UsageError
from backstory.index.extract import known
from backstory.index.reconcile import File, reconcile
from backstory.index.version import VERSION
from backstory.records.problem import Problem
from backstory.records.session import Entry, Facts
from backstory.records.upkeep import (
    Check,
    Difference,
    ForgetRequest,
    Forgotten,
    HealthReport,
    HealthRequest,
    VerifyReport,
    VerifyRequest,
)
from backstory.sources import registry
from backstory.sources.reading import Reading
from backstory.store import browse, copies, entries, ledger, sessions

HIGH_WATER = 4 << 30
FREE_SHARE = 0.25
# Damaged lines of the ledger that are named one by one.
TOLD = 5


def verify(engine: Engine, request: VerifyRequest) -> VerifyReport:
    """Reads every file whole, compares each record's hash, and with `repair` reads the differing sessions again."""
    differences: list[Difference] = []
    problems: list[Problem] = []
    repaired = total = count = 0
    with engine.history.read():
        files = [one for one in browse.files(engine.history) if not one.missing]
    whole = sum(one.bytes for one in files)
    for done, one in enumerate(files):
        engine.progress(done, len(files), total, whole)
        try:
            found = _difference(engine, one.source, one.path)
        except UnreadableSourceError as error:
            problems.append(Problem(one.path, error.reason))
            continue
        count += 1
        total += one.bytes
        if found:
            differences.append(found)
            repaired += request.repair and _repair(engine, one.source, one.path)
    with engine.history.read():
        damage = browse.damage(engine.history)
    return VerifyReport(count, total, tuple(differences), repaired, tuple(problems), damage)


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


def _same(reading: Reading, stored: sessions.Stored) -> bool:
    """Whether records that are no entries, such as headers, still say what they said."""
    now = msgspec.json.decode(msgspec.json.encode(known(reading.facts)), type=Facts)
    return now == stored.facts and reading.malformed == stored.malformed


def _repair(engine: Engine, source: str, path: str) -> bool:
    with engine.history.write("repair session"):
        stored = sessions.by_path(engine.history, path)
        if stored is None:
            return False
        sessions.distrust(engine.history, stored.key)
        outcome = reconcile(engine.history, File(registry.load(source), path, 0), lambda: False)
        copies.mark(engine.history, dict.fromkeys((outcome.key, *outcome.touched), 0))
    return True


def forget(engine: Engine, request: ForgetRequest) -> Forgotten:
    """Drops sessions with all their copies. What was named does not come back, wherever its file lies or is moved to.

    A session that was only dropped for being missing is read again when its file returns. One that was named by its
    file is dropped alone, and stays away as long as it lies there.

    Raises:
        UsageError: neither sessions nor `missing` were named.
        UnknownSessionError, AmbiguousSessionError: nothing, or too much, is called that.
    """
    if not request.session and not request.missing:
        raise UsageError("name sessions to forget, or use --missing")
    with engine.history.read():
        found = {name: naming.copies(engine, name) for name in request.session}
        named = dict(one for copies_ in found.values() for one in copies_)
        by_id = {
            row.session_id for name, copies_ in found.items() for _, row in copies_ if not naming.by_file(name, row)
        }
        gone = dict(browse.missing(engine.history)) if request.missing else {}
    for row in named.values():
        record = {"type": FORGET, "id": engine.new_id(), "at": engine.now(), "source": row.source, "path": row.path}
        ledger.append(engine.home, record | ({"session": row.session_id} if row.session_id in by_id else {}))
    chosen = {**named, **gone}
    for key, row in chosen.items():
        with engine.history.write("forget session"):
            # Copies may have been taken in while the lock was waited for.
            for one in {key, *dict(naming.same(engine, row) if row.session_id in by_id else ())}:
                browse.forget(engine.history, one)
    if not engine.history.stands():  # a rebuild put another index in its place, and may have read them before
        engine.refresh()
        sync(engine, budget_ms=BUDGET_MS)
    return Forgotten(tuple(dict.fromkeys(f"{row.source}:{row.session_id}" for row in chosen.values())))


def health(engine: Engine, _request: HealthRequest) -> HealthReport:
    """Soundness of the index; a warning never makes a sound database unsound."""
    with engine.untouched(), engine.history.read():
        checks = tuple(_checks(engine))
    statuses = {check.status for check in checks}
    worst = next((status for status in ("fail", "warn") if status in statuses), "ok")
    return HealthReport(worst, "fail" not in statuses, checks)


def _checks(engine: Engine) -> Iterator[Check]:
    history = engine.history
    wrong = browse.integrity(history)
    yield Check("integrity", "fail" if wrong else "ok", "; ".join(wrong) or "SQLite finds the file sound")
    orphans = browse.orphans(history)
    detail = "{} entries without text, {} texts without entry, {} entries not indexed".format(*orphans)
    yield Check("consistency", "fail" if any(orphans) else "ok", detail)
    pending = browse.unconverged(history, VERSION)
    detail = f"{pending} sessions wait for newer extraction rules" if pending else "all sessions follow today's rules"
    yield Check("converged", "warn" if pending else "ok", detail)
    _, missing, _, _, malformed = browse.counts(history)
    yield Check("missing", "warn" if missing else "ok", f"sessions whose file is gone: {missing}")
    yield Check("damage", "warn" if malformed else "ok", f"damaged records skipped: {malformed}")
    page_size, pages, free, _ = browse.pages(history)
    loose = free > 1000 and free > pages * FREE_SHARE
    detail = f"{page_size * pages / 1e6:.1f} MB, {100 * free / max(pages, 1):.0f} % free"
    hint = "; backstory vacuum gives that back to the disk" if loose else ""
    hint += f"; {engine.tidied / 1e6:.1f} MB that a stopped rebuild had left were deleted" if engine.tidied else ""
    yield Check("size", "warn" if loose or page_size * pages > HIGH_WATER else "ok", detail + hint)
    whole, gone, corrupt = load("engine.artifacts:unhealthy")(engine)
    detail = f"{whole} kept tool results whole, {gone} missing, {corrupt} damaged"
    hint = "; backstory artifact verify --repair makes them again" if gone or corrupt else ""
    yield Check("artifacts", "warn" if gone or corrupt else "ok", detail + hint)
    yield _ledger(engine)
    try:
        unhealthy: list[str] = load("engine.project.access:unhealthy")(engine.home)
    except UnreadableSourceError:
        unhealthy = ["nobody can tell which are trusted"]
    yield Check("projects", "warn" if unhealthy else "ok", "; ".join(unhealthy) or "no file waits to be indexed again")


def _ledger(engine: Engine) -> Check:
    try:
        damaged = ledger.damaged(engine.home)
    except UnreadableSourceError as error:
        return Check("ledger", "fail", str(error))
    told = [f"line {number} is {why}" for number, why in damaged[:TOLD]]
    beyond = [f"and {len(damaged) - TOLD} more"] if len(damaged) > TOLD else []
    detail = f"lines skipped: {len(damaged)}" + (f" ({'; '.join([*told, *beyond])})" if damaged else "")
    return Check("ledger", "warn" if damaged else "ok", detail)
