"""A database that is not ours, newer than we are, or damaged: refused untouched, until a rebuild may replace it."""

import shutil
from pathlib import Path
from typing import Any

import apsw
import pytest

from backstory.store.history import APPLICATION_ID
from tests.fakes import logs
from tests.fakes.database import ASKED, READERS, WRITERS, image
from tests.fakes.desk import Desk


def foreign(path: Path, *, application_id: int = 0x1234, tables: int = 1, wal: bool = False) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    db = apsw.Connection(str(path))
    if wal:
        db.execute("PRAGMA journal_mode=WAL")
    db.execute(f"PRAGMA application_id={application_id}")
    for number in range(tables):
        db.execute(f"CREATE TABLE mine{number} (x); INSERT INTO mine{number} VALUES (42)")  # noqa: S608
    if not wal:
        db.close()
        return path
    # Copied while open, its write-ahead log is still full.
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", f"{path}{suffix}.kept")
    db.close()
    for suffix in ("", "-wal"):
        Path(f"{path}{suffix}.kept").rename(f"{path}{suffix}")
    return path


@pytest.mark.parametrize("words", WRITERS, ids=" ".join)
@pytest.mark.parametrize("options", [{}, {"application_id": 0}, {"wal": True}], ids=["plain", "no id", "write-ahead"])
def test_nothing_replaces_the_file_of_another_program(
    desk: Desk, words: tuple[str, ...], options: dict[str, Any]
) -> None:
    desk.pi("p1", ASKED)
    foreign(desk.database, **options)
    before = image(desk.database)
    assert desk.run(*words).code == 4
    assert image(desk.database) == before


@pytest.mark.parametrize("words", READERS, ids=" ".join)
@pytest.mark.parametrize("kind", ["other program", "no id", "write-ahead", "text", "short"])
def test_a_foreign_file_is_refused_untouched(desk: Desk, kind: str, words: tuple[str, ...]) -> None:
    desk.pi("p1", ASKED)
    path = desk.database
    if kind == "other program":
        foreign(path)
    elif kind == "no id":
        foreign(path, application_id=0)
    elif kind == "write-ahead":
        foreign(path, wal=True)
    else:
        logs.write(path, b"not a database at all\n" * (50 if kind == "text" else 1))
    before = image(path)
    answer = desk.run(*words)
    assert answer.code == 4
    assert "DATABASE_FOREIGN" in answer.err
    assert "move that file away, or " in answer.err
    assert ("backstory rebuild" in answer.err) == (kind in {"text", "short"})
    assert image(path) == before


def test_a_file_that_is_no_database_gives_way_to_a_rebuild(desk: Desk) -> None:
    desk.pi("p1", ASKED)
    logs.write(desk.database, b"not a database at all\n" * 50)
    assert desk.run("rebuild").code == 0
    assert desk.hits("retry")


@pytest.mark.parametrize("place", [(16, 18), (20, 24)], ids=["page size", "fractions"])
def test_a_database_of_ours_with_a_damaged_header_is_called_damaged(used: Desk, place: tuple[int, int]) -> None:
    start, end = place
    data = bytearray(used.database.read_bytes())
    data[start:end] = b"\xa5" * (end - start)
    used.database.write_bytes(data)
    answer = used.run("search", "retry")
    assert (answer.code, "DATABASE_CORRUPT" in answer.err, "backstory rebuild" in answer.err) == (4, True, True)
    assert used.run("rebuild").code == 0
    assert used.hits("retry")


def test_rebuild_does_not_delete_another_programs_database(desk: Desk) -> None:
    desk.pi("p1", ASKED)
    before = image(foreign(desk.database))
    assert desk.run("rebuild").code == 4
    assert image(desk.database) == before


@pytest.mark.parametrize("words", [*READERS, *WRITERS], ids=" ".join)
def test_a_newer_file_is_refused_untouched(used: Desk, words: tuple[str, ...]) -> None:
    db = apsw.Connection(str(used.database))
    db.execute("PRAGMA user_version=9999")
    db.close()
    before = image(used.database)
    answer = used.run(*words)
    assert answer.code == 4
    assert "update Backstory, or set BACKSTORY_HOME to another folder [DATABASE_NEWER]" in answer.err
    assert image(used.database) == before


def test_other_migrations_than_ours_are_refused(used: Desk) -> None:
    db = apsw.Connection(str(used.database))
    db.execute("UPDATE migrations SET checksum='x' WHERE version=1")
    db.close()
    answer = used.run("search", "retry")
    assert (answer.code, "DATABASE_CORRUPT" in answer.err) == (4, True)


@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_a_damaged_file_is_refused_and_rebuilt(used: Desk, words: tuple[str, ...]) -> None:
    data = bytearray(used.database.read_bytes())
    data[100:] = b"\xa5" * (len(data) - 100)
    used.database.write_bytes(data)
    answer = used.run(*words)
    assert answer.code == 4
    assert "Traceback" not in answer.err
    assert used.database.read_bytes() == bytes(data)
    assert used.run("rebuild").code == 0
    assert used.hits("retry")


def test_a_rebuild_that_cannot_replace_the_old_index_says_so(used: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(place: Path, target: Path) -> Path:
        if place.name == "derived.new":
            raise PermissionError(13, "not permitted")
        place.replace(target)
        return target

    monkeypatch.setattr(Path, "rename", refused)
    answer = used.run("rebuild")
    assert (answer.code, "DATABASE_READ_ONLY" in answer.err) == (4, True)
    assert used.hits("retry")


def test_a_file_cut_short_is_refused(used: Desk) -> None:
    used.database.write_bytes(used.database.read_bytes()[:20_000])
    answer = used.run("search", "retry")
    assert answer.code == 4
    assert "Traceback" not in answer.err
    assert used.run("rebuild").code == 0


def test_damage_in_any_page_never_ends_in_a_traceback(used: Desk) -> None:
    whole = used.database.read_bytes()
    size = int.from_bytes(whole[16:18])
    pages = len(whole) // size
    for page in range(1, pages, max(pages // 8, 1)):
        data = bytearray(whole)
        data[page * size : (page + 1) * size] = b"\xa5" * size
        used.database.write_bytes(data)
        for words in (("search", "retry"), ("health",), ("show", "p1"), ("verify",), ("sources",), ("index",)):
            answer = used.run(*words)
            assert answer.code in {0, 4}, (page, words)
            assert "Traceback" not in answer.err


def test_a_file_with_our_id_but_no_tables_is_refused(desk: Desk) -> None:
    foreign(desk.database, application_id=APPLICATION_ID, tables=0)
    assert desk.run("search", "x").code in {0, 4}


def test_a_working_folder_that_is_gone_is_told(used: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for words in (("config", "show"), ("project", "status"), ("pi", "status")):
        answer = used.run(*words)
        assert (answer.code, "working folder" in answer.err) == (2, True), words
    assert used.hits("retry")
