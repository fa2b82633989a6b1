"""Places mounted from Python are looked at by every later process, like those that a person added."""

from pathlib import Path

from backstory.engine.open import open_engine
from backstory.records.query import SearchEvents
from tests.fakes import logs
from tests.fakes.desk import Desk


def test_a_mounted_place_is_followed_by_later_processes(desk: Desk, tmp_path: Path) -> None:
    log = desk.put(tmp_path / "elsewhere" / "p1.jsonl", logs.pi("p1", ["why did we drop the retry"]))
    for _ in range(2):
        with open_engine(desk.data) as engine:
            assert not engine.query.mount("pi", str(log.parent)).problems
    assert desk.hits("retry")
    with log.open("ab") as file:
        file.write(logs.line(logs.pi_entry(1, "because of the quinces")))
    assert desk.hits("quinces")
    with open_engine(desk.data) as engine:
        assert [place.path for place in engine.query.mounted()].count(str(log.parent)) == 1
        engine.query.reconcile()
        assert engine.query.search_events(SearchEvents(query="quinces")).items
    log.unlink()
    assert desk.hits("quinces")[0]["missing"] is True


def test_unmounting_is_for_one_engine(desk: Desk, tmp_path: Path) -> None:
    log = desk.put(tmp_path / "elsewhere" / "p1.jsonl", logs.pi("p1", ["why did we drop the retry"]))
    with open_engine(desk.data) as engine:
        engine.query.mount("pi", str(log.parent))
        engine.query.unmount("pi", str(log.parent))
        assert not engine.query.search_events(SearchEvents(query="retry")).items
    with open_engine(desk.data) as engine:
        assert engine.query.search_events(SearchEvents(query="retry")).items
    assert desk.hits("retry")


def test_a_place_that_is_not_there_is_told_and_not_remembered(desk: Desk, tmp_path: Path) -> None:
    desk.pi("p1", ["why did we drop the retry"])
    gone = tmp_path / "nowhere"
    with open_engine(desk.data) as engine:
        assert [one.path for one in engine.query.mount("pi", str(gone)).problems] == [str(gone)]
    with open_engine(desk.data) as engine:
        assert str(gone) not in [place.path for place in engine.query.mounted()]


def test_what_is_mounted_in_memory_leaves_nothing_behind(desk: Desk, tmp_path: Path) -> None:
    log = desk.put(tmp_path / "elsewhere" / "p1.jsonl", logs.pi("p1", ["why did we drop the retry"]))
    with open_engine(desk.data, memory=True) as engine:
        engine.query.mount("pi", str(log.parent))
        assert engine.query.search_events(SearchEvents(query="retry")).items
    assert not desk.data.exists()
