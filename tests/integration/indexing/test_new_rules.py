"""After a change of extraction rules every session is read again by itself; then indexes are rid of the old rows."""

from contextlib import closing

import pytest

from backstory.config.paths import history_path
from backstory.engine.sessions import browse
from backstory.errors import UnreadableSourceError
from backstory.index import look, reconcile, sync
from backstory.index.reconcile import Outcome
from backstory.index.version import VERSION
from backstory.retrieve import asked, candidates, conversation, terms
from backstory.store import entries, pieces, search, statistics
from backstory.store.history import History, open_history
from backstory.text.query import parse
from tests.fakes.desk import Desk


@pytest.fixture
def compacted(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> list[History]:
    """A machine whose rules changed since its sessions were indexed; notes each time that indexes are compacted."""
    for number in range(5):
        desk.pi(f"s{number}", [f"the emu ran {at} miles because of wombat{at * number}" for at in range(20)])
    desk.ask("index")
    for module in (look, reconcile, sync):
        monkeypatch.setattr(module, "VERSION", VERSION + 1)
    times: list[History] = []
    really = entries.compact

    def noted(history: History) -> None:
        times.append(history)
        really(history)

    monkeypatch.setattr(entries, "compact", noted)
    return times


def test_once_all_is_read_again_and_never_later(desk: Desk, compacted: list[History]) -> None:
    before = desk.ask("search", "emu", "--no-sync")["items"]
    desk.ask("index")
    assert len(compacted) == 1
    assert desk.ask("search", "emu", "--no-sync")["items"] == before
    assert desk.run("health", "--json").json["ok"] is True
    desk.pi("more", ["another emu"])
    desk.ask("index")
    assert len(compacted) == 1


@pytest.mark.usefixtures("compacted")
@pytest.mark.parametrize("index", ["word", "literal", "passage"])
def test_how_common_a_word_is_does_not_depend_on_the_ids_of_rows(desk: Desk, index: str) -> None:
    """Counts of common words are drawn from the ids of the rows first found, and all rows have higher ones now."""

    def common() -> tuple[int, int]:
        with closing(open_history(history_path(str(desk.data)))) as history:
            return statistics.frequencies(history, index, ["emu"], 2)["emu"], statistics.newest_id(history)

    before, last = common()
    desk.ask("index")
    after, newest = common()
    assert newest > last * 3 // 2
    assert after == before > 2


@pytest.mark.usefixtures("compacted")
@pytest.mark.parametrize("fewest", [10, 1_500], ids=["newest", "all"])
def test_which_rows_are_looked_at_does_not_depend_on_the_ids_of_rows(
    desk: Desk, fewest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terms, "MOST_POSTINGS_OF_FEW", fewest)
    monkeypatch.setattr(conversation, "PASSAGE_POSTINGS", fewest // 10)
    monkeypatch.setattr(candidates, "RESULT_POSTINGS", fewest)
    monkeypatch.setattr(asked, "RECENT_ROWS", fewest)

    def looked(query: str) -> tuple[list[int], int, bool, tuple[str, ...]]:
        with closing(open_history(history_path(str(desk.data)))) as history:
            found = candidates.completed(history, candidates.gather(history, parse(query), search.NOTHING))
            seqs = sorted(row.seq for row in found.words.values())
            return seqs, len(found.passages), found.truncated, found.warnings

    before = {query: looked(query) for query in ("emu", "the", "emu ran miles", '"emu ran"')}
    desk.ask("index")
    assert {query: looked(query) for query in before} == before
    assert (candidates.RECENT in before["emu"][-1]) == (fewest == 10)


@pytest.mark.usefixtures("compacted")
def test_how_literal_pieces_are_listed_does_not_depend_on_the_ids_of_rows(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the first matches say that there are many, the latest sessions are asked before all are listed."""
    monkeypatch.setattr(pieces, "PROBED", 10)
    monkeypatch.setattr(pieces, "KNOWN", 50)

    def groups(word: str) -> tuple[int, ...]:
        with closing(open_history(history_path(str(desk.data)))) as history:
            return pieces.Matches(history, word, word).groups

    before = {word: groups(word) for word in ("emu", "wombat2", "wombat0")}
    desk.ask("index")
    assert {word: groups(word) for word in before} == before
    assert before["emu"] == pieces.SESSIONS


def test_not_before_all_is_read_again(desk: Desk, compacted: list[History], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "GROUP_FILES", 2)
    monkeypatch.setattr(browse, "BUDGET_MS", 0)
    passes = 1
    while desk.ask("sessions")["partial"]:
        assert not compacted
        passes += 1
    assert passes > 1
    assert len(compacted) == 1


def test_not_again_and_again_for_a_log_that_cannot_be_read(
    desk: Desk, compacted: list[History], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.ask("index")
    assert len(compacted) == 1

    def unreadable(*_: object) -> Outcome:
        raise UnreadableSourceError("s0.jsonl", "no such luck")

    for module in (look, reconcile, sync):
        monkeypatch.setattr(module, "VERSION", VERSION + 2)
    monkeypatch.setattr(sync, "reconcile", unreadable)
    for _ in range(3):
        assert desk.run("index", "--json").json["problems"]
    assert len(compacted) == 1


def test_a_file_that_was_no_session_by_older_rules_is_looked_at_again_and_once(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    def nothing(path: str, _: object) -> None:
        looked.append(path)

    with monkeypatch.context() as older:
        older.setattr(sync, "recognise", nothing)
        path = desk.pi("s", ["the emu ran"])
        for _ in range(2):
            desk.ask("index")
        assert looked == [str(path)]
        for module in (look, reconcile, sync):
            monkeypatch.setattr(module, "VERSION", VERSION + 1)
        for _ in range(2):
            desk.ask("index")
        assert looked == [str(path)] * 2
    desk.ask("index")
    assert desk.ask("search", "emu", "--no-sync")["items"] == []
    for module in (look, reconcile, sync):
        monkeypatch.setattr(module, "VERSION", VERSION + 2)
    desk.ask("index")
    assert len(desk.ask("search", "emu", "--no-sync")["items"]) == 1
