"""What happens when our own database cannot be used: refused untouched, locked, read-only, or no room to write."""

import json
import os
import resource
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from backstory.store import transaction
from backstory.store.history import APPLICATION_ID
from tests.fakes import logs
from tests.fakes.desk import Desk
from tests.fakes.projection import of_file

ASKED = ("why did we drop the retry", "because it looped")
WRITERS = (("rebuild",), ("vacuum",), ("forget", "p1"))
READERS = (("search", "retry"), ("index",), ("sessions",), ("health",), ("storage",), ("verify",), ("sources",))


@pytest.fixture
def used(desk: Desk) -> Desk:
    """A machine whose one session is indexed."""
    desk.pi("p1", ASKED)
    desk.ask("index")
    return desk


def image(path: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in path.parent.iterdir()}


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


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transaction, "WAIT_MS", 50)


@contextmanager
def held(path: Path, *statements: str) -> Iterator[None]:
    """Another process that has carried out some statements and keeps its connection open."""
    script = (
        "import sqlite3, sys\n"
        "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "for statement in sys.argv[2:]: db.execute(statement)\n"
        "print('ready', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(path), *statements], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin
    assert holder.stdout
    try:
        assert holder.stdout.readline() == b"ready\n"
        yield
    finally:
        holder.stdin.close()
        holder.wait(timeout=30)
        holder.stdout.close()


@pytest.mark.usefixtures("impatient")
def test_a_lock_held_by_another_process_is_exit_5_and_says_nothing_of_the_data(used: Desk) -> None:
    used.pi("p2", ["a secret plan about quinces"])
    with held(used.database, "BEGIN IMMEDIATE"):
        answer = used.run("index")
    assert answer.code == 5
    assert "DATABASE_LOCKED" in answer.err
    assert "attempts" in answer.err
    for word in ("quinces", "p2", "INSERT", "BEGIN", "SELECT"):
        assert word not in answer.err
    assert used.run("index").code == 0
    assert used.hits("quinces")


@pytest.mark.usefixtures("impatient")
def test_a_session_that_a_lock_kept_from_being_forgotten_stays_until_it_is_forgotten(used: Desk) -> None:
    with held(used.database, "BEGIN IMMEDIATE"):
        answer = used.run("forget", "p1")
    assert (answer.code, "DATABASE_LOCKED" in answer.err) == (5, True)
    assert used.hits("retry")
    assert used.run("forget", "p1").code == 0
    assert not used.hits("retry")


def test_a_search_does_not_wait_longer_for_a_lock_than_its_budget_and_says_that_it_is_partial(used: Desk) -> None:
    used.pi("p2", ["a secret plan about quinces"])
    with held(used.database, "BEGIN IMMEDIATE"):
        answer = used.run("search", "--json", "--budget", "50", "quinces")
    assert answer.code == 0
    assert answer.json["partial"] is True
    assert answer.json["items"] == []
    assert used.hits("quinces")


@pytest.mark.usefixtures("impatient")
def test_a_lock_that_keeps_even_readers_out_is_exit_5(used: Desk) -> None:
    with held(used.database, "PRAGMA locking_mode=EXCLUSIVE", "BEGIN EXCLUSIVE", "UPDATE state SET generation = 1"):
        codes = {words: used.run(*words).code for words in READERS}
    assert set(codes.values()) == {5}, codes


def test_a_reader_does_not_wait_for_a_writer(used: Desk) -> None:
    with held(used.database, "BEGIN IMMEDIATE"):
        assert used.hits("retry")


def as_nobody() -> None:
    os.setgroups([])
    os.setgid(65_534)
    os.setuid(65_534)


def reachable(path: Path) -> bool:
    command = ["test", "-r", str(path)]
    return subprocess.run(command, preexec_fn=as_nobody, check=False).returncode == 0


@pytest.fixture
def stranger(used: Desk) -> Desk:
    """The same machine, seen by a user who may read but not write it; commands run under that user."""
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    for folder in [used.home.parent, *used.home.parent.parents]:
        if folder != folder.parent and not folder.stat().st_mode & 0o005:
            folder.chmod(folder.stat().st_mode | 0o055)
    return used


def opened(path: Path) -> None:
    for one in [path, *path.rglob("*")]:
        one.chmod(0o755 if one.is_dir() else 0o644)


def nobody_runs(desk: Desk, *words: str) -> tuple[int, str]:
    """The exit code and the complaints of a command run by another user."""
    return nobody_says(desk, *words)[1:]


def nobody_says(desk: Desk, *words: str) -> tuple[str, int, str]:
    """What such a command says, too; it runs in a child of this process so that any Python will do."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(reading)
            as_nobody()
            answer = desk.run(*words)
            os.write(writing, json.dumps([answer.out[:20_000], answer.err[:4_000] or "-"]).encode())
            code = answer.code
        finally:
            os._exit(code)
    os.close(writing)
    with os.fdopen(reading, encoding="utf-8") as stream:
        out, told = json.loads(stream.read())
    return out, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), told


def test_a_data_folder_that_may_not_be_written_is_exit_4(stranger: Desk) -> None:
    opened(stranger.data)
    opened(stranger.home)
    stranger.pi("p2", ["new and unread"])
    before = image(stranger.database)
    for words in (("index",), ("search", "retry"), ("index", "--root", f"pi={stranger.pi_folder}")):
        code, told = nobody_runs(stranger, *words)
        assert (code, "DATABASE_READ_ONLY" in told) == (4, True), (words, told)
    assert image(stranger.database) == before


def test_what_is_in_a_data_folder_that_may_not_be_written_can_still_be_read(stranger: Desk) -> None:
    reading = (
        ("search", "retry"),
        ("search", "--no-sync", "retry"),
        ("sessions", "--no-sync"),
        ("show", "--no-sync", "p1"),
        ("plan", "--no-sync", "p1"),
        ("manifest", "list"),
        ("query", "list-sessions"),
        ("query", "search-events", "retry"),
    )
    for words in reading:
        assert stranger.run(*words).code == 0
    opened(stranger.data)
    opened(stranger.home)
    before = image(stranger.database)
    for words in reading:
        assert nobody_runs(stranger, *words) == (0, "-"), words
    assert image(stranger.database) == before
    assert nobody_runs(stranger, "pin", "p1", "x")[0] == 4


def test_what_may_not_be_written_is_answered_from_what_is_indexed(stranger: Desk) -> None:
    stranger.pi("p2", ["the retry that nobody has indexed"])
    opened(stranger.data)
    opened(stranger.home)
    for words in (("search", "retry"), ("sessions",), ("query", "search-events", "retry"), ("show", "p1")):
        out, code, told = nobody_says(stranger, *words)
        assert (code, "DATABASE_READ_ONLY" in told) == (4, True), (words, told)
        assert "p1" in out, (words, told)
        assert "p2" not in out, words
    out, code, told = nobody_says(stranger, "sources")
    assert (code, "DATABASE_READ_ONLY" in told, "Pi (pi)  1 session" in out) == (4, True, True), (out, told)
    answer = json.loads(nobody_says(stranger, "search", "--json", "retry")[0])
    assert (answer["partial"], [hit["session_id"] for hit in answer["items"]]) == (True, ["p1"])
    assert "what is new is left out" in answer["problems"][0]["reason"]


def test_a_data_folder_that_cannot_be_made_is_exit_4(stranger: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(stranger.home)
    monkeypatch.setenv("BACKSTORY_HOME", str(stranger.home.parent / "nowhere" / "deep"))
    code, told = nobody_runs(stranger, "search", "retry")
    assert (code, "DATABASE_READ_ONLY" in told) == (4, True)


def test_unreadable_files_and_folders_are_exit_3_and_the_rest_is_found(stranger: Desk) -> None:
    shut = stranger.pi("shut", ["nobody may read about the retry"])
    closed = stranger.put(stranger.pi_folder / "closed" / "x.jsonl", logs.pi("closed", ["nor about this retry"]))
    opened(stranger.home)
    shut.chmod(0o000)
    closed.parent.chmod(0o000)
    stranger.data.rename(stranger.data.with_name("old"))
    stranger.data.mkdir()
    os.chown(stranger.data, 65_534, 65_534)
    code, told = nobody_runs(stranger, "search", "retry")
    assert code == 3
    assert "shut.jsonl: Permission denied" in told
    assert "closed: Permission denied" in told
    closed.parent.chmod(0o755)
    view = of_file(stranger.database)
    assert {row["id"] for row in view["sessions"].values()} == {"p1"}


def test_what_becomes_unreadable_is_not_called_missing(stranger: Desk) -> None:
    closed = stranger.put(
        stranger.pi_folder / "closed" / "x.jsonl", logs.pi("closed", ["the retry in a closed folder"])
    )
    stranger.ask("index")
    opened(stranger.home)
    for path in [stranger.data, *stranger.data.rglob("*")]:
        os.chown(path, 65_534, 65_534)
    closed.parent.chmod(0o000)
    code, _ = nobody_runs(stranger, "index")
    closed.parent.chmod(0o755)
    assert code == 3
    assert not any(hit["missing"] for hit in stranger.hits("retry", "--no-sync"))


def limited(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_no_room_in_a_file_is_exit_6_and_nothing_is_half_written(used: Desk) -> None:
    before = of_file(used.database)
    used.pi("big", [f"quince number {number} " + "x" * 400 for number in range(3_000)])
    size = used.database.stat().st_size
    answer = used.spawn("index", preexec_fn=lambda: limited(size + 100_000))
    assert answer.code == 6, answer.err
    assert "DISK_FULL" in answer.err
    assert of_file(used.database) == before
    assert used.ask("health")["ok"]
    assert used.spawn("index").code == 0
    assert len(used.hits("quince", "--limit", "100")) == 100


@pytest.mark.parametrize("command", ["index", "rebuild"])
@pytest.mark.parametrize("size", [0, 1, 4, 8, 16, 32, 64, 128, 200, 256, 300])
def test_no_room_for_a_new_index_is_exit_6_at_any_size(desk: Desk, size: int, command: str) -> None:
    desk.pi("big", [f"quince number {number} " + "x" * 400 for number in range(700)])
    answer = desk.spawn(command, preexec_fn=lambda: limited(size * 1024))
    assert (answer.code, "[DISK_FULL]" in answer.err) == (6, True), answer.err
    assert desk.spawn("index").code == 0
    assert desk.hits("quince")
    assert desk.ask("health")["ok"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(place)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting a small file system is not permitted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk_is_exit_6_and_the_work_goes_on_once_there_is_room(
    desk: Desk, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BACKSTORY_HOME", str(small_disk / "data"))
    desk.data = small_disk / "data"
    desk.pi("p1", ASKED)
    desk.ask("index")
    before = of_file(desk.database)
    filler = small_disk / "filler"
    with filler.open("wb", buffering=0) as file:
        while True:
            try:
                file.write(b"x" * 4096)
            except OSError:
                break
    desk.pi("p2", [f"quince number {number} " + "y" * 400 for number in range(500)])
    answer = desk.spawn("index")
    assert answer.code == 6, answer.err
    assert desk.spawn("index", "--root", f"pi={desk.home}").code == 6
    assert desk.spawn("search", "retry", "--no-sync").code == 0
    for words, held in (
        (("search", "retry"), "retry"),
        (("query", "list-sessions"), "p1"),
        (("sources",), "1 session"),
    ):
        stale = desk.spawn(*words)
        assert (stale.code, "[DISK_FULL]" in stale.err, held in stale.out) == (6, True, True), (words, stale)
    desk.pi("p1", ASKED).unlink()
    answer = desk.spawn("rebuild")
    assert answer.code == 6, answer.err
    filler.unlink()
    assert of_file(desk.database) == before
    assert desk.spawn("index").code == 0
    assert desk.hits("quince")
    assert desk.ask("health")["ok"]


def test_a_file_with_our_id_but_no_tables_is_refused(desk: Desk) -> None:
    foreign(desk.database, application_id=APPLICATION_ID, tables=0)
    assert desk.run("search", "x").code in {0, 4}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
@pytest.mark.parametrize("words", [("sessions",), ("search", "retry", "--json")])
def test_an_answer_that_finds_no_room_is_exit_6(used: Desk, words: tuple[str, ...]) -> None:
    command = [sys.executable, "-m", "backstory", *words]
    env = {**os.environ, "BACKSTORY_HOME": str(used.data)}
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, env=env, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 6
    assert b"could not be written" in done.stderr
    assert b"Traceback" not in done.stderr


def test_a_working_folder_that_is_gone_is_told(used: Desk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for words in (("config", "show"), ("project", "status"), ("pi", "status")):
        answer = used.run(*words)
        assert (answer.code, "working folder" in answer.err) == (2, True), words
    assert used.hits("retry")
