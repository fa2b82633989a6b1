"""How people name what is stored, sessions and entries: by the rules of `engine.name_rules`."""

from collections.abc import Sequence

from backstory.config.paths import as_path
from backstory.engine import name_rules
from backstory.engine.name_rules import SessionFile
from backstory.engine.open import Engine
from backstory.errors import AmbiguousNameError, UnknownEntryError
from backstory.records.browsing import SessionRow
from backstory.sources import registry
from backstory.store import browse


def session(engine: Engine, name: str, *, having: Sequence[str] = ()) -> tuple[int, SessionRow]:
    """The key and row of a session; of copies in several files, the fullest of those with the entries of `having`.

    Raises:
        UnknownSessionError: no session is called that.
        AmbiguousSessionError: several are; copies of one session in several files do not count as several, files with
            different entries do.
    """
    files = name_rules.session(
        name,
        lambda id_, source: list(map(_candidate, browse.named(engine.history, id_, source))),
        lambda path, source: list(map(_candidate, browse.at(engine.history, path, source))),
    )
    holding = [one for one in files if all(_holds(engine, one.key, entry) for entry in having)]
    return name_rules.fullest(engine.history, name, holding or files)


def _candidate(found: tuple[int, SessionRow]) -> SessionFile[tuple[int, SessionRow]]:
    key, row = found
    return SessionFile(key, row.source, row.session_id, row.path, row.missing, found)


def by_file(name: str, row: SessionRow) -> bool:
    """Whether a name of a session is the path of its file."""
    return row.path in {as_path(name), as_path(registry.split(name)[1])}


def copies(engine: Engine, name: str) -> list[tuple[int, SessionRow]]:
    """Every stored copy of a session, named as in `session`, or its one file if that is the name; raises the same."""
    key, chosen = session(engine, name)
    return [(key, chosen)] if by_file(name, chosen) else same(engine, chosen)


def same(engine: Engine, chosen: SessionRow) -> list[tuple[int, SessionRow]]:
    """Every stored copy of a session, as things are now."""
    found = browse.named(engine.history, chosen.session_id, chosen.source)
    return [(key, row) for key, row in found if row.session_id == chosen.session_id]


def entry(engine: Engine, key: int, row: SessionRow, name: str) -> int:
    """The seq of an entry, named by number, native id or a beginning of that; of one id the last with text wins.

    Raises:
        UnknownEntryError, AmbiguousNameError: the session has no such entry, or several.
    """
    seq = _seq(engine, key, name)
    if seq is None:
        raise UnknownEntryError(row.session_id, name)
    return seq


def _seq(engine: Engine, key: int, name: str) -> int | None:
    names = browse.entry_names(engine.history, key)
    numbers = {seq: seq for seq, *_ in names}
    with_text = {id_: seq for seq, id_, text in names if id_ and text}
    return name_rules.begun_entry(name, {id_: seq for seq, id_, _ in names if id_} | with_text, numbers.get)


def _holds(engine: Engine, key: int, name: str) -> bool:
    try:
        return _seq(engine, key, name) is not None
    except AmbiguousNameError:
        return True
