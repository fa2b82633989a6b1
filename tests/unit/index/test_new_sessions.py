"""New sessions share the writing of their rows, also where a session that was known before comes between them."""

from pathlib import Path

import pytest

from backstory.index.look import look
from backstory.index.sync import Sync
from backstory.sources import registry
from backstory.sources.discover import Place
from backstory.store import filling
from backstory.store.history import History, open_history
from tests.fakes import logs

FOUND = (
    """SELECT s.id, e.seq FROM entries e JOIN sessions s ON s.key = e.session
    WHERE e.id IN (SELECT rowid FROM literal(?)) ORDER BY 1, 2""",
    """SELECT s.id, e.seq FROM entries e JOIN sessions s ON s.key = e.session
    WHERE e.id IN (SELECT rowid FROM words(?)) ORDER BY 1, 2""",
    """SELECT s.id, p.first, p.last FROM passage_spans p JOIN sessions s ON s.key = p.session
    WHERE p.id IN (SELECT rowid FROM passages(?)) ORDER BY 1, 2""",
)


def put(folder: Path, name: str, texts: list[str]) -> None:
    logs.write(folder / f"{name}.jsonl", logs.pi(name, texts))


def index(history: History, folder: Path) -> None:
    Sync(history, [registry.load("pi")]).run(look(history, [Place("pi", str(folder))], (".jsonl",)))


def found(history: History, word: str) -> list[tuple[object, ...]]:
    """The entries and the pieces of conversations that hold a word, with the name of their session."""
    return [row for statement in FOUND for row in history.rows(statement, (word,))]


@pytest.mark.parametrize("most", [1, 3, 1_000])
def test_each_row_belongs_to_its_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    monkeypatch.setattr(filling, "MOST_ENTRIES", most)
    history = open_history(":memory:")
    put(tmp_path, "b", ["quince"])
    index(history, tmp_path)
    put(tmp_path, "a", ["emu", "quince"])
    put(tmp_path, "b", ["quince", "emu", "quince"])
    put(tmp_path, "c", ["tapir", "emu"])
    put(tmp_path, "d", ["quince"])
    index(history, tmp_path)
    clean = open_history(":memory:")
    index(clean, tmp_path)
    for word in ("quince", "emu", "tapir"):
        assert found(history, word) == found(clean, word)
    assert [row[0] for row in found(history, "quince")] == [*"abbd", *"abbd", *"abd"]
    assert list(history.rows("SELECT id FROM texts EXCEPT SELECT id FROM entries")) == []


def test_rows_follow_each_other_in_the_order_of_the_sessions(tmp_path: Path) -> None:
    history = open_history(":memory:")
    for name in "cab":
        put(tmp_path, name, ["quince", "emu"])
    index(history, tmp_path)
    rows = "SELECT e.id, s.key, e.seq FROM entries e JOIN sessions s ON s.key = e.session ORDER BY s.key, e.seq"
    ids = [id_ for id_, *_ in history.rows(rows)]
    assert ids == list(range(1, len(ids) + 1))
    spans = list(history.rows("SELECT id, session FROM passage_spans ORDER BY id"))
    assert [session for _, session in spans] == sorted(session for _, session in spans)


def test_the_time_for_rows_that_are_written_together_is_told_of_the_source(tmp_path: Path) -> None:
    for name in "abc":
        put(tmp_path, name, ["quince"])
    history = open_history(":memory:")
    now = iter(range(1_000))
    seen = look(history, [Place("pi", str(tmp_path))], (".jsonl",))
    report = Sync(history, [registry.load("pi")], clock=lambda: float(next(now))).run(seen)
    # One second passes between the two looks at the clock around each file, and around what is written at the end.
    assert report.source("pi").seconds == pytest.approx(4)
