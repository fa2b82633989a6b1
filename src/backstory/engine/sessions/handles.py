"""By which names a person gets from a result to what was found, when ids are typed as they are printed.

That is the id, unless another session has it too; then what names it is tried as `engine.naming` would read it.
"""

from collections.abc import Sequence
from contextlib import suppress

from backstory.engine import naming
from backstory.engine.open import Engine
from backstory.errors import UsageError
from backstory.records.browsing import SessionRow
from backstory.store import browse
from backstory.store.hits import LONGEST, HitRow


def of_entry(engine: Engine, hit: HitRow, entry: str) -> str:
    """A name of the session of a hit under which `entry` is what was found, or the same text."""
    for name in _names(hit.source, hit.session_id):
        with suppress(UsageError):
            key, row = naming.session(engine, name, having=[entry])
            seq = naming.entry(engine, key, row, entry)
            if (key, seq) == (hit.session, hit.seq) or _text(engine, key, seq) == hit.text:
                return name
    return hit.path


def of_session(engine: Engine, key: int, row: SessionRow) -> str:
    """A name of a session that leads to it, or to a copy that has all it has."""
    for name in _names(row.source, row.session_id):
        with suppress(UsageError):
            found, other = naming.session(engine, name)
            if found == key or (other.source, other.session_id) == (row.source, row.session_id):
                return name
    return row.path


def _names(source: str, id_: str) -> Sequence[str]:
    return id_, f"{source}:{id_}"


def _text(engine: Engine, key: int, seq: int) -> str:
    [shown] = browse.shown(engine.history, key, [seq])
    return shown.text[:LONGEST]
