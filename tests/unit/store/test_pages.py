"""The size of a database's pages: larger in new ones, as it was in those that are there."""

from pathlib import Path

import apsw
import pytest

from backstory.store.history import History, open_history


def page_size(history: History) -> int:
    [(size,)] = history.rows("PRAGMA page_size")
    return int(size)


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "history.db")


def test_a_new_database_has_large_pages(path: str) -> None:
    made = open_history(path)
    assert page_size(made) == 8192
    made.close()
    again = open_history(path)
    assert page_size(again) == 8192
    again.close()


def test_a_database_keeps_the_pages_it_was_made_with(path: str) -> None:
    old = apsw.Connection(path)
    old.execute("PRAGMA page_size=4096; PRAGMA journal_mode=WAL").fetchall()
    old.close()
    opened = open_history(path)
    with opened.write("grow"):
        opened.db.execute("INSERT INTO roots (source, path) VALUES ('claude-code', '/logs')")
    assert page_size(opened) == 4096
    opened.close()
