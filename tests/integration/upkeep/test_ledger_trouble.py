"""A ledger that cannot be read is told, is never taken for an empty one, and loses nobody's decision."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from backstory.engine.open import open_engine
from backstory.store import ledger
from tests.fakes.desk import Desk


@contextmanager
def unreadable(desk: Desk) -> Iterator[None]:
    """A folder in the place of the ledger, which not even the superuser can read as a file."""
    place = Path(ledger.location(desk.data))
    kept = place.rename(place.with_name("kept"))
    place.mkdir()
    try:
        yield
    finally:
        place.rmdir()
        kept.rename(place)


@pytest.fixture
def forgetful(desk: Desk) -> Desk:
    """Two sessions, one of them forgotten."""
    desk.pi("p1", ["the quince is ripe"])
    desk.pi("p2", ["the plum is ripe"])
    desk.ask("index")
    desk.ask("forget", "p1")
    return desk


@pytest.mark.parametrize(
    "words",
    [
        ("search", "ripe"),
        ("index",),
        ("sources",),
        ("sessions",),
        ("show", "p2"),
        ("query", "list-sessions"),
        ("query", "search-events", "ripe"),
        ("query", "read-session", "p2", "--json"),
    ],
    ids=" ".join,
)
def test_what_was_forgotten_stays_so_and_the_trouble_is_told(forgetful: Desk, words: tuple[str, ...]) -> None:
    with unreadable(forgetful):
        forgetful.pi("p1", ["the quince is ripe", "and more of it"])
        answer = forgetful.run(*words)
        assert answer.code == 3, answer.err
        assert "ledger.jsonl" in answer.err
        assert forgetful.ask("search", "quince", "--no-sync")["items"] == []
    assert [hit["session_id"] for hit in forgetful.hits("ripe")] == ["p2"]


def test_nothing_is_rebuilt_without_it(forgetful: Desk) -> None:
    with unreadable(forgetful):
        assert forgetful.run("rebuild").code == 3
        assert forgetful.ask("search", "plum", "--no-sync")["items"]


def test_health_and_sources_name_the_lines_that_are_skipped(forgetful: Desk) -> None:
    with Path(ledger.location(forgetful.data)).open("ab") as stream:
        stream.write(b"{broken\n")
    [check] = [one for one in forgetful.ask("health")["checks"] if one["name"] == "ledger"]
    assert check["status"] == "warn"
    assert "line 2 is not a JSON object" in check["detail"]
    [told] = forgetful.ask("sources")["warnings"]
    assert told == f"{ledger.location(forgetful.data)}: line 2 is not a JSON object and was skipped"
    assert told in forgetful.run("sources").out
    with unreadable(forgetful):
        answer = forgetful.run("health")
        assert (answer.code, "ledger.jsonl" in answer.out) == (4, True)


def test_a_context_command_keeps_the_code_of_what_went_wrong(forgetful: Desk) -> None:
    answer = forgetful.run("context", "history", "read", "p2", "99999")
    assert (answer.code, "[EVENT_NOT_FOUND]" in answer.err) == (2, True), answer.err
    with unreadable(forgetful):
        answer = forgetful.run("context", "status", "p2")
        assert (answer.code, "[PERSISTENCE_FAILED]" in answer.err) == (3, True), answer.err


def test_sessions_name_an_agent_that_does_not_exist(forgetful: Desk) -> None:
    assert "no agent is called zz; known: " in forgetful.run("sessions", "--agent", "zz").out


def test_the_query_service_takes_in_nothing_that_was_forgotten(forgetful: Desk) -> None:
    forgetful.pi("p1", ["the quince is ripe", "and more of it"])
    with open_engine(forgetful.data) as engine:
        engine.query.reconcile()
        assert [one.id for one in engine.query.list_sessions().items] == ["p2"]
    with unreadable(forgetful), open_engine(forgetful.data) as engine:
        engine.query.reconcile()
        page = engine.query.list_sessions()
        assert [one.id for one in page.items] == ["p2"]
        assert any("ledger.jsonl" in problem.path for problem in page.problems)


def test_a_record_that_a_killed_writer_left_half_is_no_work_for_those_who_read(forgetful: Desk) -> None:
    assert forgetful.run("memory", "add", "p2", "the port is 1").code == 0
    place = Path(ledger.location(forgetful.data))
    place.write_bytes(place.read_bytes() + b'{"type":"memory-mutation","id":"')
    before = forgetful.ask("storage")["generation"]
    assert len(forgetful.run("memory", "list", "p2", "--json").json["items"]) == 1
    assert forgetful.ask("storage")["generation"] == before
    assert forgetful.run("memory", "add", "p2", "the host is 2").code == 0
    assert len(forgetful.run("memory", "list", "p2", "--json").json["items"]) == 2
