"""A database that another process holds: who waits, for how long, and what is said."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from backstory.store import transaction
from tests.fakes.database import READERS
from tests.fakes.desk import Desk


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
