"""Folders and files that we may not write, or not even read: what is told, and what can be answered all the same."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.fakes import logs
from tests.fakes.database import image
from tests.fakes.desk import Desk
from tests.fakes.projection import of_file


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
