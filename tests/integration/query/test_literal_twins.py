"""Sessions of one id in several files: literal pages hold each once, and do not show which was indexed first."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from backstory.records.paging import Slice
from backstory.retrieve import literal
from backstory.retrieve.literal import Phrase
from backstory.store.history import History, open_history
from backstory.store.literal import Row
from backstory.store.where import Clause
from tests.fakes import logs
from tests.fakes.desk import Desk

ROOTS = "bdaec"
SESSIONS = ("s1", "s2", "s3")
EVERYWHERE = Clause("", {}, copies=True)
ALL = 1_000

Search = Callable[[History, Phrase, Clause, Slice], list[Row]]
Told = tuple[str, str, int]


def fill(desk: Desk, folder: Path, roots: str) -> History:
    """Files are read in the order of their times, and indexed one root after the other."""
    for root in roots:
        for name in SESSIONS:
            desk.put(folder / root / f"{name}.jsonl", logs.pi(name, ["retry", "retry it", "no", "retry", "it"]))
        desk.ask("index", "--only-roots", "--root", f"pi={folder / root}")
    return open_history(str(desk.database), read_only=True)


def told(history: History, rows: Sequence[Row]) -> list[Told]:
    paths = {key: str(path) for key, path in history.rows("SELECT key, path FROM sessions")}
    return [(row.session_id, paths[row.session], row.seq) for row in rows]


def expected(history: History) -> list[Told]:
    found = history.rows("""
        SELECT s.id, s.path, e.seq FROM entries e JOIN sessions s ON s.key = e.session JOIN texts t ON t.id = e.id
        WHERE t.text LIKE 'retry%' ORDER BY e.size, e.time DESC, s.id, e.seq DESC, s.source, s.path
    """)
    return [(str(id_), str(path), seq) for id_, path, seq in found]


def paged(history: History, search: Search, limit: int) -> list[Told]:
    rows: list[Row] = []
    while True:
        page = search(
            history, literal.phrase(history, "retry"), EVERYWHERE,
            Slice(len(rows), limit, rows[-1].key if rows else None),
        )  # fmt: skip
        rows += page
        if len(page) < limit:
            return told(history, rows)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, ALL])
def test_twins_stand_in_the_order_of_their_files_on_every_page(desk: Desk, tmp_path: Path, limit: int) -> None:
    history = fill(desk, tmp_path / "roots", ROOTS)
    wanted = expected(history)
    assert paged(history, literal.events, limit) == wanted
    first: dict[tuple[str, str], Told] = {}
    for one in wanted:
        first.setdefault(one[:2], one)
    assert len(first) == len(ROOTS) * len(SESSIONS)
    assert paged(history, literal.sessions, limit) == list(first.values())
    history.close()


def test_it_does_not_matter_which_twin_was_indexed_first(
    desk: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    history = fill(desk, tmp_path / "roots", ROOTS)
    found = [paged(history, search, 2) for search in (literal.events, literal.sessions)]
    history.close()
    monkeypatch.setenv("BACKSTORY_HOME", str(tmp_path / "anew"))
    monkeypatch.setattr(desk, "data", tmp_path / "anew")
    history = fill(desk, tmp_path / "roots", ROOTS[::-1])
    assert [paged(history, search, 2) for search in (literal.events, literal.sessions)] == found
    history.close()
