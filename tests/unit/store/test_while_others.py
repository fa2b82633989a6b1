"""What another process does to a database at the worst moment of its opening must not show."""

import os
import time
from pathlib import Path
from typing import Any

import apsw
import pytest

from backstory.errors import ForeignDatabaseError
from backstory.store import header, migrate
from backstory.store.connection import identify, open_connection, tune
from backstory.store.history import APPLICATION_ID, open_history
from backstory.store.migrate import migrations


def test_a_file_that_grows_while_its_beginning_is_read_is_not_foreign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "history.db")
    making = open_history(path)
    before = Path(path).stat().st_size
    fstat = os.fstat

    def folded_in(handle: int) -> os.stat_result:
        making.db.close()
        return fstat(handle)

    monkeypatch.setattr(os, "fstat", folded_in)
    header.refuse(path, APPLICATION_ID, 99)
    monkeypatch.undo()
    assert Path(path).stat().st_size > before


def test_a_file_with_room_for_pages_that_are_being_folded_in_is_not_foreign(tmp_path: Path) -> None:
    path = str(tmp_path / "history.db")
    making = open_history(path)
    os.truncate(path, 20 * Path(path).stat().st_size)
    header.refuse(path, APPLICATION_ID, 99)
    making.close()


def test_tables_of_another_program_are_seen_in_its_log(tmp_path: Path) -> None:
    path = str(tmp_path / "history.db")
    theirs = apsw.Connection(path)
    theirs.execute("PRAGMA journal_mode=WAL; CREATE TABLE t (x)").fetchall()
    with pytest.raises(ForeignDatabaseError):
        header.refuse(path, APPLICATION_ID, 99)
    theirs.close()


def test_a_log_that_goes_while_it_is_looked_at_is_no_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "history.db")
    making = open_history(path)
    stat = os.stat

    def gone_after(name: Any, **more: Any) -> os.stat_result:
        found = stat(name, **more)
        if str(name).endswith("-wal"):
            making.close()
        return found

    monkeypatch.setattr(os, "stat", gone_after)
    reading = open_connection(path, read_only=True)
    monkeypatch.undo()
    assert not Path(f"{path}-wal").exists()
    assert identify(reading, path, APPLICATION_ID, 99) == migrations("history")[-1].version
    reading.close()


def test_migrations_that_another_process_applies_meanwhile_are_no_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = str(tmp_path / "history.db")
    steps = migrations("history")

    def bring_up() -> None:
        open_history(path).close()

    with monkeypatch.context() as earlier:
        earlier.setattr(migrate, "migrations", lambda _: steps[:-1])
        bring_up()
    slow = open_connection(path)
    tune(slow, path)
    done: list[str] = []

    def meanwhile(_cursor: apsw.Cursor, sql: str, _args: Any) -> bool:
        if "FROM migrations" in sql and not done:
            done.append(sql)
            bring_up()
        return True

    slow.exec_trace = meanwhile
    migrate.migrate(slow, path, "history", APPLICATION_ID)
    slow.exec_trace = None
    assert done
    assert identify(slow, path, APPLICATION_ID, 99) == steps[-1].version
    slow.close()


def test_a_reader_waits_for_who_makes_the_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "history.db")
    making = open_connection(path)
    reading = open_connection(path, read_only=True)
    making.execute("BEGIN EXCLUSIVE")
    monkeypatch.setattr(time, "sleep", lambda _: making.execute("COMMIT"))
    tune(reading, path, read_only=True)
    assert not making.in_transaction
    for one in (reading, making):
        one.close()
