"""Answers of the query commands say when the index lacks something that is on disk, and what could not be read."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from backstory.engine.sessions import browse, queries
from tests.fakes.desk import Desk

PAGES = (
    ("query", "list-sessions"),
    ("query", "list-events", "p1"),
    ("query", "search-sessions", "freshword"),
    ("query", "search-events", "freshword"),
)
READS = (
    ("query", "read-session", "p1"),
    ("query", "read-event", "p1", "1"),
    ("query", "read-surface", "p1"),
    ("query", "trace-event", "p1", "1"),
    ("query", "trace-session", "p1"),
)
OF_NOBODY = (("show", "p2"), ("query", "read-session", "p2"), ("query", "list-events", "p2"))


@pytest.fixture
def used(desk: Desk) -> Desk:
    """A machine whose one session is indexed."""
    desk.pi("p1", ["why did we drop the retry", "because it looped"])
    desk.ask("index")
    return desk


@contextmanager
def held(database: Path) -> Iterator[None]:
    """Another process writes, and nobody waits long for it."""
    db = apsw.Connection(str(database))
    db.execute("BEGIN IMMEDIATE")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(queries, "BUDGET_MS", 20)
        patch.setattr(browse, "BUDGET_MS", 20)
        yield
    db.close()


@pytest.mark.parametrize("words", PAGES + READS, ids=" ".join)
def test_what_was_not_read_in_time_is_told(used: Desk, words: tuple[str, ...]) -> None:
    used.pi("p2", ["a freshword"])
    with held(used.database):
        answer, read = used.run(*words, "--json"), used.run(*words)
    assert (answer.code, answer.json["partial"]) == (0, True)
    assert "the index is not complete yet" in read.out
    assert used.run(*words, "--json").json["partial"] is False
    assert "not complete" not in used.run(*words).out


@pytest.mark.parametrize("words", OF_NOBODY, ids=" ".join)
def test_a_session_that_is_not_indexed_yet_is_not_said_to_be_none(used: Desk, words: tuple[str, ...]) -> None:
    used.pi("p2", ["a freshword"])
    with held(used.database):
        refused = used.run(*words)
    assert (refused.code, "SESSION_NOT_FOUND" in refused.err) == (2, True)
    assert "the index is not complete yet" in refused.err
    assert used.run(*words).code == 0
    assert "not complete" not in used.run(words[0], *words[1:-1], "nobody").err


@pytest.mark.parametrize("words", [*PAGES, ("query", "read-surface", "p1")], ids=" ".join)
def test_what_could_not_be_read_is_told_in_the_page(used: Desk, words: tuple[str, ...]) -> None:
    broken = used.pi_folder / "broken.jsonl"
    broken.symlink_to(broken)
    answer = used.run(*words, "--json")
    assert answer.code == 3
    assert [Path(one["path"]).name for one in answer.json["problems"]] == ["broken.jsonl"]
    assert "broken.jsonl" not in answer.err
    assert json.loads(used.run(*words, "--no-sync", "--json").out)["problems"] == []


def test_an_index_that_is_not_begun_is_not_said_to_find_nothing(desk: Desk) -> None:
    desk.ask("index")
    desk.pi("p1", ["a freshword"])
    with held(desk.database):
        answer = desk.ask("sessions")
    assert (answer["items"], answer["partial"], answer["warnings"]) == ([], True, [])
    assert "nothing is indexed" not in desk.run("sessions").out
