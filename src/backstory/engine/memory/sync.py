"""Brings the stored memories and pins up to date with what canonical records say: logs of sessions, and our ledger.

What is new, gone or changed is found by comparing places, not contents; only records that are tied to it are folded
again. Deleting the tables and doing this once gives the same rows. Reading them is `engine.memory.state`.
"""

from collections.abc import Iterable
from os.path import realpath
from typing import Any

import msgspec

from backstory.engine.open import Engine
from backstory.errors import UnreadableSourceError
from backstory.plan.memory import mutations as shapes
from backstory.plan.memory.fold import fold
from backstory.privacy.secrets import clean
from backstory.records.memory import Kept, Mutation
from backstory.sources import raw
from backstory.store import ledger, memory, mutations
from backstory.store.history import History
from backstory.store.ledger_tail import since
from backstory.store.mutations import LEDGER, LedgerMark, MutationLog, New, Unread

KEEP, EXCLUDE = "memory-mutation", "memory-source"
LONGEST_PAYLOAD = 256 * 1024
LONGEST_ERROR = 1_000
_TEXTS = frozenset(("content", "claim", "key", "reason"))
_CHANGED = "a record is not the one that was indexed"


def refresh(engine: Engine, *, wait_ms: int | None = None) -> None:
    """Take over what is new; does nothing, and takes no lock, when nothing is, nor inside a read transaction.

    Raises:
        DatabaseError: the index cannot be written; what it holds stays as it was.
    """
    history = engine.history
    if history.db.in_transaction:
        return
    with history.read():
        if not _behind(engine):
            return
    before, history.wait_ms = history.wait_ms, wait_ms
    try:
        with history.write("update memory"):
            touched = _logs(history) | _from_ledger(engine)
            _fold(history, touched)
    finally:
        history.wait_ms = before


def project_of(folder: str | None) -> str | None:
    """The project that a working folder stands for: its real path; None where no folder can have that name."""
    try:
        return realpath(folder) if folder else None
    except ValueError:
        return None


def _behind(engine: Engine) -> bool:
    history = engine.history
    if _gained(engine, mutations.reached(history)):
        return True
    if mutations.gone(history):
        return True
    known = mutations.known_sources(history)
    now = mutations.indexed_sources(history)
    if known.keys() != now.keys() or any(_moved(log, known[key]) for key, log in now.items()):
        return True
    return any(_helps(now[key], known[key], new) for key, new in _unread(history).items())


def _gained(engine: Engine, at: LedgerMark) -> bool:
    """Whether the ledger has whole records beyond a place, or is another one; what a killed writer left is none."""
    if ledger.size(engine.home) == at.offset:
        return False
    found = since(engine.home, at.offset, at.tail)
    return found is None or found[1] != at.offset


def _helps(now: MutationLog, before: MutationLog, new: list[Unread]) -> bool:
    """Whether looking at the unread records of a log changes anything: again and again it does not, where it failed."""
    if before.error is None:
        return True
    return _read(now, new)[1] != before.error


def _unread(history: History) -> dict[int, list[Unread]]:
    """Records that were not taken over, by log. Those of a log that cannot be read stay such."""
    unread: dict[int, list[Unread]] = {}
    for record in mutations.unread(history):
        unread.setdefault(record.source, []).append(record)
    return unread


def _moved(now: MutationLog, before: MutationLog) -> bool:
    """Whether a log has another name, place or project, vanished or came back."""
    return (now.session, now.path, project_of(now.folder), now.missing) != (
        before.session, before.path, before.folder, before.missing
    )  # fmt: skip


def _logs(history: History) -> set[str]:
    """Take over changes of logs; gives the ties of all records whose effect may be another now."""
    known = mutations.known_sources(history)
    now = {key: _resolved(log) for key, log in mutations.indexed_sources(history).items()}
    renamed = [key for key, log in now.items() if key in known and known[key].session != log.session]
    gone = [*mutations.gone(history), *(id_ for key in renamed for id_ in mutations.of_source(history, key))]
    touched = mutations.ties(history, gone)
    mutations.remove(history, gone)
    for key in known.keys() - now.keys():
        mutations.drop_source(history, key)
    fresh = _unread(history)
    for key, log in now.items():
        touched |= _log(history, log, known.get(key), fresh.get(key, []))
    return touched


def _log(history: History, now: MutationLog, before: MutationLog | None, fresh: list[Unread]) -> set[str]:
    new, error = _read(now, fresh)
    source = msgspec.structs.replace(now, error=error)
    touched: set[str] = set()
    if source != before:
        mutations.put_source(history, source)
        touched = mutations.ties(history, mutations.of_source(history, now.key))
    mutations.add(history, new)
    return touched.union(*(record.ties for record in new))


def _resolved(source: MutationLog) -> MutationLog:
    return msgspec.structs.replace(source, folder=project_of(source.folder))


def _read(source: MutationLog, records: list[Unread]) -> tuple[list[New], str | None]:
    """The records of a log that were not taken over yet, and what is wrong with the log."""
    if source.missing or not records:
        return [], None
    try:
        raws = raw.read(source.path, {record.seq: (record.offset, record.length) for record in records})
    except UnreadableSourceError as error:
        return [], str(error)[:LONGEST_ERROR]
    if any(record.seq not in raws or raw.digest(raws[record.seq]) != record.hash for record in records):
        return [], _CHANGED
    return [_logged(source, record, _data(raws[record.seq])) for record in records], None


def _logged(source: MutationLog, record: Unread, data: Any) -> New:
    made = Mutation(
        type=record.type, session=source.session, entry=record.entry_id or str(record.seq), order=record.seq,
        payload=data, time=record.time, parent=record.parent_id, project=source.folder, file=source.path,
    )  # fmt: skip
    return _checked(made, source.key, record.hash)


def _checked(made: Mutation, source: int, digest: bytes) -> New:
    """A record with its ties, or with the reason why it does not count."""
    made = msgspec.structs.replace(made, payload=_cleaned(made.payload))
    try:
        change = shapes.read(made)
    except shapes.Refused as why:
        return New(made, source, digest, refusal=str(why))
    if len(msgspec.json.encode(made.payload)) > LONGEST_PAYLOAD:
        return New(made, source, digest, refusal="it is too long")
    return New(made, source, digest, shapes.ties(change))


def _cleaned(value: Any, name: str = "") -> Any:
    """A payload without the credentials that its texts hold: a log may have them, our database may not."""
    if isinstance(value, dict):
        return {key: _cleaned(inner, key) for key, inner in value.items()}
    return clean(value) if isinstance(value, str) and name in _TEXTS else value


def _data(record: bytes) -> Any:
    try:
        data = msgspec.json.decode(raw.bare(record))
    except msgspec.DecodeError:
        return None
    return data.get("data") if isinstance(data, dict) else None


def _from_ledger(engine: Engine) -> set[str]:
    """Take over what was appended to the ledger, or all of it when it is another one."""
    history = engine.history
    at = mutations.reached(history)
    touched: set[str] = set()
    gained = since(engine.home, at.offset, at.tail)
    if gained is None:
        touched = _forgotten(history)
        at = LedgerMark()
        gained = since(engine.home, 0, b"") or ([], 0, b"")
    records, offset, tail = gained
    count = at.mutations
    for record in records:
        if record.get("type") == KEEP:
            touched |= _told(history, record, count)
            count += 1
        elif record.get("type") == EXCLUDE:
            touched |= _exclude(history, record)
    mutations.set_reached(history, LedgerMark(offset, tail, count))
    return touched


def _forgotten(history: History) -> set[str]:
    ids = mutations.of_source(history, LEDGER)
    touched = mutations.ties(history, ids)
    mutations.remove(history, ids)
    for project, session, _ in mutations.excluded(history):
        touched |= mutations.ties(history, mutations.of_session(history, project, session))
        mutations.include(history, project, session)
    return touched


def _told(history: History, record: dict[str, Any], order: int) -> set[str]:
    made = Mutation(
        type=str(record.get("custom_type")),
        session=str(record.get("session")),
        entry=str(record.get("id")),
        order=order,
        payload=record.get("payload"),
        time=record["at"] if isinstance(record.get("at"), int) else None,
        parent=_text(record.get("leaf")),
        project=project_of(_text(record.get("project"))),
    )
    new = _checked(made, LEDGER, b"")
    mutations.add(history, [new])
    return set(new.ties)


def _exclude(history: History, record: dict[str, Any]) -> set[str]:
    project, session = _text(record.get("project")), _text(record.get("session"))
    if project is None or session is None:
        return set()
    if record.get("excluded"):
        mutations.exclude(history, project, session, _text(record.get("reason")))
    else:
        mutations.include(history, project, session)
    return mutations.ties(history, mutations.of_session(history, project, session))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _fold(history: History, touched: Iterable[str]) -> None:
    """Fold again what these ties lead to, and store it in place of what it was."""
    ties = mutations.reach(history, touched)
    if not ties:
        return
    rows = mutations.tied(history, ties)
    state = fold(rows.values())
    mutations.refuse(history, rows, state)
    by_key = {mutation.key: id_ for id_, mutation in rows.items()}
    items: list[tuple[Kept, int]] = [
        (item, by_key[f"{item.session}:{item.mutation}"]) for item in (*state.memories, *state.pins)
    ]
    memory.replace(history, ties, items)
