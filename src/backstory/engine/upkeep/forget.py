"""Dropping sessions from the index for good; their logs stay as they are."""

from collections.abc import Collection, Mapping, Sequence
from collections.abc import Set as AbstractSet

from backstory.config.paths import derived_folder
from backstory.engine import naming
from backstory.engine.indexing.index import BUDGET_MS, FORGET, sync
from backstory.engine.open import Engine
from backstory.errors import UnknownSessionError, UsageError
from backstory.records.browsing import SessionRow
from backstory.records.upkeep import ForgetRequest, Forgotten
from backstory.store import artifacts, browse, ledger
from backstory.store.objects import Objects


def forget(engine: Engine, request: ForgetRequest) -> Forgotten:
    """Drops sessions with all their copies, and the results that were kept of them alone.

    What was named does not come back, wherever its file lies or is moved to.

    A session that was only dropped for being missing is read again when its file returns. One that was named by its
    file is dropped alone, and stays away as long as it lies there.

    Raises:
        UsageError: neither sessions nor `missing` were named.
        UnknownSessionError, AmbiguousSessionError: nothing, or too much, is called that.
    """
    if not request.session and not request.missing:
        raise UsageError("name sessions to forget, or use --missing")
    _look_for(engine, request.session)
    with engine.history.read():
        named, whole = _named(engine, request.session)
        gone = dict(browse.missing(engine.history)) if request.missing else {}
    chosen = {**named, **gone}
    _remove_objects(engine, _drop(engine, chosen, named.keys(), whole))
    if not engine.history.stands():  # a rebuild put another index in its place, and may have read them before
        engine.refresh()
        sync(engine, budget_ms=BUDGET_MS)
    return Forgotten(tuple(dict.fromkeys(f"{row.source}:{row.session_id}" for row in chosen.values())))


def _look_for(engine: Engine, names: Sequence[str]) -> None:
    """A session may be there that no command has seen yet."""
    with engine.history.read():
        seen = all(_known(engine, name) for name in names)
    if not seen:
        sync(engine, budget_ms=BUDGET_MS)


def _drop(engine: Engine, chosen: Mapping[int, SessionRow], named: Collection[int], whole: Collection[str]) -> set[str]:
    """Drops rows, those that are meant as a whole with their copies; the digests of results that were kept of them.

    What was named is noted under the lock: where that cannot be had, nothing is forgotten by and by after all.
    """
    kept: set[str] = set()
    for key, row in chosen.items():
        with engine.history.write("forget session"):
            if key in named:
                _note(engine, row, whole)
            # Copies may have been taken in while the lock was waited for.
            for one in {key, *dict(naming.same(engine, row) if row.session_id in whole else ())}:
                kept.update(artifacts.known(engine.history, one).values())
                browse.forget(engine.history, one)
    return kept


def _note(engine: Engine, row: SessionRow, whole: Collection[str]) -> None:
    record = {"type": FORGET, "id": engine.new_id(), "at": engine.now(), "source": row.source, "path": row.path}
    ledger.append(engine.home, record | ({"session": row.session_id} if row.session_id in whole else {}))


def _remove_objects(engine: Engine, kept: AbstractSet[str]) -> None:
    """Removes kept results that no other session refers to."""
    if kept:
        before = engine.now() / 1000  # what is kept from here on may be noted after the next look
        wanted = {one.digest for one in artifacts.everything(engine.history)}
        Objects(derived_folder(engine.home)).remove(kept - wanted, before)


def _named(engine: Engine, names: Sequence[str]) -> tuple[dict[int, SessionRow], set[str]]:
    """The rows of sessions by key, and the ids of those that are meant as a whole, not as one file."""
    rows: dict[int, SessionRow] = {}
    whole: set[str] = set()
    for name in names:
        for key, row in naming.copies(engine, name):
            rows[key] = row
            if not naming.by_file(name, row):
                whole.add(row.session_id)
    return rows, whole


def _known(engine: Engine, name: str) -> bool:
    try:
        naming.copies(engine, name)
    except UnknownSessionError:
        return False
    return True
