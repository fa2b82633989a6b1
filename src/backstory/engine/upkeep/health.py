"""A report on the health of what is stored, which reads only.

Neighbours: `engine.artifacts.kept` and `engine.project.access` say how their own parts are.
"""

from collections.abc import Iterator

from backstory.engine.loading import load
from backstory.engine.open import Engine
from backstory.errors import UnreadableSourceError
from backstory.index.version import VERSION
from backstory.records.upkeep import Check, HealthReport, HealthRequest
from backstory.store import counts, ledger

HIGH_WATER = 4 << 30
FREE_SHARE = 0.25
# Damaged lines of the ledger that are named one by one.
TOLD = 5


def health(engine: Engine, _request: HealthRequest) -> HealthReport:
    """Soundness of the index; a warning never makes a sound database unsound."""
    with engine.untouched() as reader, reader.history.read():
        checks = tuple(_checks(reader))
    statuses = {check.status for check in checks}
    worst = next((status for status in ("fail", "warn") if status in statuses), "ok")
    return HealthReport(worst, "fail" not in statuses, checks)


def _checks(engine: Engine) -> Iterator[Check]:
    history = engine.history
    wrong = counts.integrity(history)
    yield Check("integrity", "fail" if wrong else "ok", "; ".join(wrong) or "SQLite finds the file sound")
    orphans = counts.orphans(history)
    detail = "{} entries without text, {} texts without entry, {} entries not indexed".format(*orphans)
    yield Check("consistency", "fail" if any(orphans) else "ok", detail)
    pending = counts.unconverged(history, VERSION)
    detail = f"{pending} sessions wait for newer extraction rules" if pending else "all sessions follow today's rules"
    yield Check("converged", "warn" if pending else "ok", detail)
    rows = counts.counts(history)
    yield Check("missing", "warn" if rows.missing else "ok", f"sessions whose file is gone: {rows.missing}")
    yield Check("damage", "warn" if rows.malformed else "ok", f"damaged records skipped: {rows.malformed}")
    pages = counts.pages(history)
    size = pages.bytes * pages.total
    loose = pages.free > 1000 and pages.free > pages.total * FREE_SHARE
    detail = f"{size / 1e6:.1f} MB, {100 * pages.free / max(pages.total, 1):.0f} % free"
    hint = "; backstory vacuum gives that back to the disk" if loose else ""
    hint += f"; {engine.tidied / 1e6:.1f} MB that a stopped rebuild had left were deleted" if engine.tidied else ""
    yield Check("size", "warn" if loose or size > HIGH_WATER else "ok", detail + hint)
    whole, gone, corrupt = load("engine.artifacts.kept:unhealthy")(engine)
    detail = f"kept tool results: {whole} whole, {gone} missing, {corrupt} damaged"
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
