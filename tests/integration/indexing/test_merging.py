"""A pass that read much joins the segments that its transactions left in the indexes that ranking reads."""

from contextlib import closing

import pytest

from backstory.config.paths import history_path
from backstory.engine.sessions import browse
from backstory.index import sync
from backstory.store import entries
from backstory.store.history import open_history
from tests.fakes.desk import Desk

SESSIONS = 9
LINES = 40
QUERIES = ("emu", "w77q w24q", "w1q w2q w3q w4q w5q w6q")


@pytest.fixture
def crowded(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """A machine whose logs take several transactions, each of which leaves a segment of some pages."""
    monkeypatch.setattr(sync, "GROUP_FILES", 2)
    monkeypatch.setattr(sync, "FILL", SESSIONS * LINES)
    monkeypatch.setattr(entries, "MERGED_PAGES", 2)
    for number in range(SESSIONS):
        desk.pi(f"s{number}", [f"emu {' '.join(f'w{at * step}q' for step in range(60))}" for at in range(LINES)])
    return desk


def segments(desk: Desk, index: str) -> int:
    statement = "SELECT count(DISTINCT segid) FROM words_idx"
    with closing(open_history(history_path(str(desk.data)))) as history:
        [(count,)] = history.rows(statement.replace("words", index))
        return int(count)


def test_after_a_fill_each_ranked_index_is_one(crowded: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "FILL", 1 << 40)
    crowded.ask("index")
    parts = segments(crowded, "words"), segments(crowded, "passages")
    assert min(parts) > 3
    scattered = [crowded.ask("search", words)["items"] for words in QUERIES]

    monkeypatch.setattr(sync, "FILL", SESSIONS * LINES)
    crowded.ask("rebuild")
    assert (segments(crowded, "words"), segments(crowded, "passages")) == (1, 1)
    assert [crowded.ask("search", words)["items"] for words in QUERIES] == scattered
    assert crowded.run("health", "--json").json["ok"] is True


def test_not_after_a_pass_that_read_little(crowded: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "FILL", SESSIONS * LINES + 1)
    crowded.ask("index")
    assert segments(crowded, "words") > 3


def test_not_when_time_is_up(crowded: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "FILL", 1)
    monkeypatch.setattr(browse, "BUDGET_MS", 0)
    while crowded.ask("sessions")["partial"]:
        pass
    assert segments(crowded, "words") > 1


@pytest.mark.usefixtures("crowded")
def test_another_writer_hinders_it_and_nothing_else(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "FILL", 1 << 40)
    desk.ask("index")
    parts = segments(desk, "words")
    path = history_path(str(desk.data))
    with closing(open_history(path)) as history, closing(open_history(path)) as other:
        history.wait_ms = 0
        with other.write("something else"):
            entries.merge(history, lambda: False)
        assert segments(desk, "words") == parts
        entries.merge(history, lambda: False)
    assert segments(desk, "words") == 1


def test_each_transaction_of_it_is_small_and_so_is_all_of_it(crowded: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "FILL", 1 << 40)
    crowded.ask("index")
    with closing(open_history(history_path(str(crowded.data)))) as history:
        before = history.generation()
        monkeypatch.setattr(entries, "MOST_MERGES", 3)
        entries.merge(history, lambda: False)
        assert history.generation() == before + 6
        monkeypatch.setattr(entries, "MOST_MERGES", 1_000)
        entries.merge(history, lambda: False)
        assert before + 8 < history.generation() < before + 100
