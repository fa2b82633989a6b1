"""Databases that are opened while others make them, or put another in their place."""

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import apsw
import pytest

from backstory.store.connection import identify, open_connection
from backstory.store.folder import alone, moving, opening
from backstory.store.history import APPLICATION_ID, open_history
from backstory.store.project.database import ProjectStore, delete


def instance(path: Path) -> str:
    history = open_history(str(path))
    try:
        return history.instance()
    finally:
        history.close()


def test_a_database_whose_tables_are_just_made_is_empty_or_ours_but_never_foreign(tmp_path: Path) -> None:
    path = str(tmp_path / "history.db")
    db = open_connection(path)
    db.execute("PRAGMA journal_mode=WAL").fetchall()
    made: list[str] = []

    def meanwhile(_cursor: apsw.Cursor, sql: str, _args: Any) -> bool:
        if "sqlite_schema" not in sql and "PRAGMA" in sql and not made:
            made.append(sql)
            open_history(path).close()
        return True

    db.exec_trace = meanwhile
    assert identify(db, path, APPLICATION_ID, 99) == 0
    assert made
    db.exec_trace = None
    assert identify(db, path, APPLICATION_ID, 99) > 0
    db.close()


@pytest.mark.parametrize("missing", [False, True], ids=["old folder there", "between two folders"])
def test_who_opens_while_a_folder_is_replaced_gets_the_new_one_whole(tmp_path: Path, missing: bool) -> None:  # noqa: FBT001
    place, fresh = tmp_path / "derived", tmp_path / "derived.new"
    before, after = instance(place / "history.db"), instance(fresh / "history.db")
    found: list[str] = []
    waiting = threading.Thread(target=lambda: found.append(instance(place / "history.db")))
    with alone(str(tmp_path)), moving(str(place)):
        if missing:
            place.rename(tmp_path / "derived.old")
        waiting.start()
        waiting.join(0.2)
        assert not found
        if not missing:
            place.rename(tmp_path / "derived.old")
        fresh.rename(place)
    waiting.join(20)
    assert found == [after]
    assert before != after


def test_a_database_is_not_closed_while_its_folder_is_moved(tmp_path: Path) -> None:
    place = tmp_path / "derived"
    history = open_history(str(place / "history.db"))
    other = open_history(str(place / "history.db"))
    closing = threading.Thread(target=other.close)
    with moving(str(place)):
        closing.start()
        closing.join(0.2)
        assert closing.is_alive()
    closing.join(20)
    assert not closing.is_alive()
    history.close()


@pytest.mark.parametrize("path", [":memory:", "history.db", "missing/derived/history.db"])
def test_where_there_is_nothing_to_hold_one_goes_on(tmp_path: Path, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with opening(path, read_only=True):
        assert not (tmp_path / "missing").exists()


OPENED = """
import sys
from backstory.store.history import open_history
for _ in range(60):
    history = open_history(sys.argv[1])
    with history.write("a test"):
        pass
    history.close()
"""
REPLACED = """
import shutil, sys
from pathlib import Path
from backstory.engine.open import open_engine
from backstory.engine.upkeep.rebuild import rebuild
from backstory.records.indexing import RebuildRequest
for _ in range(12):
    with open_engine(sys.argv[2], env={"HOME": sys.argv[2]}) as engine:
        rebuild(engine, RebuildRequest())
"""


def test_whoever_opens_while_others_rebuild_can_write(tmp_path: Path) -> None:
    path = tmp_path / "derived" / "history.db"
    open_history(str(path)).close()
    words = [[sys.executable, "-c", code, str(path), str(tmp_path)] for code in (REPLACED, OPENED) * 2]
    running = [subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for line in words]
    ended = [(process.communicate(timeout=120)[1], process.returncode) for process in running]
    assert [code for _, code in ended] == [0] * len(words), ended
    assert [one.name for one in tmp_path.iterdir()] == ["derived"]


def test_an_index_of_a_project_is_neither_opened_nor_closed_while_all_are_moved(tmp_path: Path) -> None:
    place = tmp_path / "derived" / "projects" / "one.db"
    store = ProjectStore(str(place))
    for work in (store.close, lambda: ProjectStore(str(place)).close(), lambda: delete(str(place))):
        doing = threading.Thread(target=work)
        with moving(str(tmp_path / "derived")):
            doing.start()
            doing.join(0.2)
            assert doing.is_alive()
            assert place.exists()
        doing.join(20)
        assert not doing.is_alive()
    assert list(place.parent.iterdir()) == []
