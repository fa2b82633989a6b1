"""How people name a session: its id, a unique prefix of it, `source:id`, or its file; and an entry: its id or number.

What a session and its own subagents begin with names the session. A prefix may end in the ellipsis of a list.
"""

from collections.abc import Sequence

from backstory.config.paths import as_path
from backstory.engine.open import Engine
from backstory.errors import BY_FILE, AmbiguousSessionError, UnknownEntryError, UnknownSessionError
from backstory.records.browsing import SessionRow
from backstory.sources import registry
from backstory.store import browse
from backstory.store import copies as copies_
from backstory.text.charts import ELLIPSIS

LONGEST_NUMBER = 20


def session(engine: Engine, name: str, *, having: Sequence[str] = ()) -> tuple[int, SessionRow]:
    """The key and row of a session; of copies in several files, the fullest of those with the entries of `having`.

    Raises:
        UnknownSessionError: no session is called that.
        AmbiguousSessionError: several are; copies of one session in several files do not count as several, files with
            different entries do.
    """
    source, id_ = registry.split(name.removesuffix(ELLIPSIS))
    found = browse.named(engine.history, id_, source) if id_ else []
    whole = [one for one in found if one[1].session_id == id_]
    chosen = whole or found or (browse.at(engine.history, as_path(id_), source) if id_ else [])
    ids = registry.without_subagents({f"{row.source}:{row.session_id}" for _, row in chosen})
    if not ids:
        raise UnknownSessionError(name)
    if len(ids) > 1:
        raise AmbiguousSessionError(name, ids)
    chosen = [one for one in chosen if one[1].session_id == chosen[0][1].session_id]
    chosen = [one for one in chosen if all(_seq(engine, one[0], entry) is not None for entry in having)] or chosen
    first, *rest = chosen
    others = [one for one in rest if one[1].missing == first[1].missing]
    if copies_.contradict(engine.history, first[0], (key for key, _ in others)):
        raise AmbiguousSessionError(name, sorted(row.path for _, row in (first, *others)), advice=BY_FILE)
    return first


def by_file(name: str, row: SessionRow) -> bool:
    """Whether a name of a session is the path of its file."""
    return as_path(registry.split(name)[1]) == row.path


def copies(engine: Engine, name: str) -> list[tuple[int, SessionRow]]:
    """Every stored copy of a session, named as in `session`, or its one file if that is the name; raises the same."""
    key, chosen = session(engine, name)
    if by_file(name, chosen):
        return [(key, chosen)]
    found = browse.named(engine.history, chosen.session_id, chosen.source)
    return [(key, row) for key, row in found if row.session_id == chosen.session_id]


def entry(engine: Engine, key: int, row: SessionRow, name: str) -> int:
    """The seq of an entry, named by its number or its native id (the last of that id wins).

    Raises:
        UnknownEntryError: the session has no such entry.
    """
    seq = _seq(engine, key, name)
    if seq is None:
        raise UnknownEntryError(row.session_id, name)
    return seq


def _seq(engine: Engine, key: int, name: str) -> int | None:
    nodes = browse.entry_names(engine.history, key)
    by_id = {id_: seq for seq, id_ in nodes if id_}
    if name in by_id:
        return by_id[name]
    if name.isdecimal() and len(name) < LONGEST_NUMBER and any(seq == int(name) for seq, _ in nodes):
        return int(name)
    return None
