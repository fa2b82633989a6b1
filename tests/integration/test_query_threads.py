"""Readers in threads beside a writer: no error, nothing half done, and answers that fit together."""

import threading
from pathlib import Path

import pytest

from backstory.records.query import ListEvents, Mode, QueryOptions, SearchEvents
from backstory.records.session import Draft
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
