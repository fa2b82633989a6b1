"""What cannot be a file of ours is refused at once and by its name: nobody waits for a pipe that nobody writes into."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.fakes.desk import Answer, Desk

COMMANDS = (("search", "ripe"), ("index",), ("sessions",), ("health",), ("verify",), ("plan", "p1"), ("rebuild",))


@pytest.fixture
def used(desk: Desk) -> Desk:
    """A session, and another that was forgotten, so that there is a ledger."""
    desk.pi("p1", ["the quince is ripe"])
    desk.pi("p2", ["the plum is ripe"])
    desk.ask("index")
    desk.ask("forget", "p2")
    return desk


def answered(desk: Desk, *words: str) -> Answer:
    """The answer of a command that is ended if it waits."""
    process = desk.start(*words)
    try:
        out, err = process.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return Answer(process.returncode, out, err)


def pipe_at(path: Path) -> None:
    path.rename(path.with_name("aside"))
    os.mkfifo(path)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_pipe_for_the_index_is_refused_as_foreign(used: Desk, words: tuple[str, ...]) -> None:
    pipe_at(used.database)
    answer = answered(used, *words)
    assert (answer.code, "DATABASE_FOREIGN" in answer.err) == (4, True), answer.err
    assert used.database.is_fifo()


@pytest.mark.parametrize("kind", ["socket", "device", "folder"])
def test_so_is_whatever_else_is_no_file(used: Desk, kind: str) -> None:
    used.database.rename(used.database.with_name("aside"))
    if kind == "socket":
        os.mknod(used.database, 0o140_600)
    elif kind == "device":
        used.database.symlink_to("/dev/zero")
    else:
        used.database.mkdir()
    answer = used.run("search", "ripe")
    assert (answer.code, "DATABASE_FOREIGN" in answer.err) == (4, True), answer.err


@pytest.mark.parametrize("words", [words for words in COMMANDS if words != ("health",)], ids=" ".join)
def test_a_pipe_for_the_folder_of_the_index_is_told(used: Desk, words: tuple[str, ...]) -> None:
    pipe_at(used.database.parent)
    answer = answered(used, *words)
    assert answer.code == 4
    assert "Not a directory" in answer.err + answer.out


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("name", "code", "told"),
    [(b"b\xffd", 2, "is no name in UTF-8"), (b"a" * 300, 4, "File name too long")],
    ids=["not UTF-8", "too long"],
)
def test_a_data_folder_that_cannot_be_is_named(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, name: bytes, code: int, told: str, words: tuple[str, ...]
) -> None:
    desk.pi("p1", ["the quince is ripe"])
    monkeypatch.setenv("BACKSTORY_HOME", str(desk.data.parent / os.fsdecode(name)))
    answer = desk.run(*words)
    assert answer.code in {code, 3 if words == ("rebuild",) else code}, answer.err
    assert told in answer.err + answer.out


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_pipe_for_the_ledger_is_told(used: Desk, words: tuple[str, ...]) -> None:
    pipe_at(used.data / "canonical" / "ledger.jsonl")
    answer = answered(used, *words)
    assert answer.code in {0, 3, 4}
    assert words[0] == "verify" or "ledger.jsonl" in answer.err + answer.out


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_pipe_for_a_log_is_a_log_that_is_gone(used: Desk, words: tuple[str, ...]) -> None:
    pipe_at(used.pi_folder / "p1.jsonl")
    answer = answered(used, *words)
    assert answer.code in {0, 3}, answer.err


def test_a_pipe_for_the_name_of_a_project_is_passed_by(desk: Desk) -> None:
    folder = desk.home / ".gemini" / "tmp" / "abc"
    header = b'{"sessionId":"g1","projectHash":"abc","startTime":"2026-01-01T00:00:00Z"}\n'
    asked = b'{"id":"m1","type":"user","timestamp":"2026-01-01T00:00:01Z","content":"is the quince ripe"}\n'
    desk.put(folder / "chats" / "session-g1.jsonl", header + asked)
    os.mkfifo(folder / ".project_root")
    answer = answered(desk, "search", "quince", "--json")
    assert [hit["session_id"] for hit in answer.json["items"]] == ["g1"]
