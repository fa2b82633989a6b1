"""Readers in threads beside a writer: no error, nothing half done, and answers that fit together."""

import threading
from pathlib import Path

import pytest

from backstory.engine.open import open_engine
from backstory.errors import UsageError
from backstory.records.live import LiveHeader
from backstory.records.query import ListEvents, Mode, QueryOptions, SearchEvents, SearchSessions
from backstory.records.session import Draft
from backstory.store.history import open_history
from tests.fakes.corpus import Corpus, user


@pytest.mark.parametrize("mode", Mode)
def test_readers_never_see_half_a_write(tmp_path: Path, mode: Mode) -> None:
    corpus = Corpus(tmp_path, options=QueryOptions(connections=3))
    corpus.put("s", user("emu"))
    stop = threading.Event()
    errors: list[BaseException] = []
    seen: list[int] = []

    def read() -> None:
        try:
            while not stop.is_set():
                page = corpus.query.search_events(SearchEvents(query="emu", session="s", mode=mode, limit=100))
                assert page.session is not None
                assert len(page.items) == page.session.entries
                seen.append(page.session.entries)
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for _ in range(15):
        corpus.add("s", user("emu"), user("emu"))
    stop.set()
    for thread in threads:
        thread.join()
    assert errors == []
    assert set(seen) <= set(range(1, 32, 2))
    assert corpus.query.list_events(ListEvents(session="s")).session.entries == 31


def test_readers_do_not_wait_for_a_writer(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path)
    corpus.put("s", user("emu"))
    writer = open_history(corpus.path)
    with writer.write("a long write"):
        writer.db.execute("UPDATE sessions SET title = 'unseen'")
        assert corpus.seqs("emu") == [0]
        assert corpus.query.read_title("s").title == "emu"
    assert corpus.query.read_title("s").title == "unseen"


def test_an_engine_serves_queries_and_live_sessions(tmp_path: Path) -> None:
    root = tmp_path / "store"
    for memory in (False, True):
        with open_engine(tmp_path / "home", memory=memory) as engine:
            Corpus(tmp_path).put("s", user("emu"), root=root)
            assert engine.query.mount("dsh", str(root)).sources["dsh"].entries == 1
            engine.live.attach(LiveHeader("dsh", "t", rules="dsh"), [Draft(kind="prompt", text="emu", visible=True)])
            found = engine.query.search_sessions(SearchSessions(query="emu"))
            assert [(hit.session.id, hit.session.live) for hit in found.items] == [("s", False), ("t", True)]
            assert engine.query is engine.query
            assert [one.id for one in engine.live.attached()] == ["t"]
            rows = engine.history.db.execute("SELECT count(*) FROM sessions").fetchall()
            assert rows == [(1,)]


def test_live_events_reach_every_thread(tmp_path: Path) -> None:
    corpus = Corpus(tmp_path, options=QueryOptions(connections=4))
    corpus.attach_text("s", "emu 0")
    errors: list[BaseException] = []

    def follow(number: int) -> None:
        try:
            for at in range(20):
                word = f"word{number}x{at}"
                told = corpus.live.append("dsh", "s", [Draft(kind="prompt", role="user", text=word, visible=True)])
                assert corpus.seqs(word)[0] < told.next_seq
        except BaseException as error:  # noqa: BLE001
            errors.append(error)

    threads = [threading.Thread(target=follow, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert corpus.query.read_session("s").session.entries == 81


@pytest.mark.parametrize("memory", [False, True])
def test_a_service_of_a_closed_engine_answers_no_more(tmp_path: Path, *, memory: bool) -> None:
    with open_engine(tmp_path / "home", memory=memory) as engine:
        query = engine.query
        query.list_sessions()
    for ask in (query.list_sessions, query.conflicts, lambda: query.mount("dsh", str(tmp_path))):
        with pytest.raises(UsageError, match="closed"):
            ask()
