"""Questions that change nothing make no file where Backstory was never used, and answer as of an empty index."""

import shutil

import pytest

from backstory.engine.indexing.index import sync
from backstory.engine.open import open_engine
from backstory.engine.sessions.queries import search_events
from backstory.engine.sessions.search import find
from backstory.records.live import LiveHeader
from backstory.records.query_requests import SearchEventsRequest
from backstory.records.searching import SearchRequest
from backstory.records.session import Draft
from tests.fakes.desk import Desk

QUESTIONS = (
    ("health",),
    ("storage",),
    ("search", "retry", "--no-sync"),
    ("search", "retry", "--no-sync", "--sessions"),
    ("search", "retry", "--no-sync", "--exact"),
    ("sessions", "--no-sync"),
    ("query", "list-sessions", "--no-sync"),
    ("query", "search-events", "retry", "--no-sync"),
    ("query", "search-sessions", "retry", "--mode", "relevance", "--no-sync"),
)


@pytest.mark.parametrize("words", QUESTIONS, ids=" ".join)
def test_a_question_leaves_an_empty_home_empty(desk: Desk, words: tuple[str, ...]) -> None:
    desk.pi("p1", ["why did we drop the retry"])
    assert desk.run(*words).code == 0
    answer = desk.run(*words, "--json").json
    assert answer.get("items", []) == []
    assert answer.get("sessions", 0) == 0
    assert answer.get("database", 0) == 0
    assert not desk.data.exists()
    assert desk.hits("retry")
    assert desk.run(*words).code == 0


def test_a_session_of_an_empty_home_is_not_known(desk: Desk) -> None:
    for words in (("show", "p1"), ("query", "read-session", "p1"), ("query", "trace-event", "p1", "0")):
        assert "SESSION_NOT_FOUND" in desk.run(*words, "--no-sync").err
    assert not desk.data.exists()


def test_an_engine_that_was_asked_so_indexes_afterwards(desk: Desk) -> None:
    desk.pi("p1", ["why did we drop the retry"])
    with open_engine(desk.data, env=desk.env()) as engine:
        assert find(engine, SearchRequest(query=("retry",), no_sync=True)).items == ()
        sync(engine)
        assert len(find(engine, SearchRequest(query=("retry",), no_sync=True)).items) == 1
    assert desk.database.exists()


def test_attached_sessions_are_found_where_the_index_was_deleted(desk: Desk) -> None:
    with open_engine(desk.data, env=desk.env()) as engine:
        engine.live.attach(LiveHeader("dsh", "live", rules="dsh"), [Draft(kind="prompt", text="quokka", visible=True)])
        shutil.rmtree(desk.database.parent)
        [hit] = search_events(engine, SearchEventsRequest(query=("quokka",), no_sync=True)).items
        assert (hit.session, hit.path) == ("live", None)
    assert not desk.database.exists()
